// Huber's centre of rows that are added one by one, and their loss about it.
//
// psi(c) = sum w clip(y - c, -d, d) decreases with c, and is linear between neighbouring points y - d (y comes within d
// of c) and y + d (y leaves). Rows below, within and above have separate sums; the last point with psi >= 0 is kept and
// moves by few points when a row is added, so that a row takes about as much time as in a sum.
#pragma once

#include <cstdint>
#include <vector>

namespace softwood::hard {

// The points of some values, in their order.
struct HuberPoints {
  // value : distinct and increasing.
  HuberPoints(const std::vector<double>& value, double width);
  std::size_t size() const { return at.size(); }

  const std::vector<double>* value;
  double width;
  std::vector<double> at;            // rising
  std::vector<std::uint32_t> rank;   // of the value that enters or leaves
  std::vector<bool> leaves;          // whether it leaves
  std::vector<std::uint32_t> come;   // per value, its first point
  std::vector<std::uint32_t> leave;  // and its second
};

class HuberSums {
 public:
  explicit HuberSums(const HuberPoints& points) : points_(points), weight_(points.value->size()) {}

  void add(std::size_t rank, double weight);
  double total_weight() const { return below_.weight + within_.weight + above_.weight; }

  struct Read {
    double center, loss;
  };
  Read read();

 private:
  struct Side {
    double weight = 0, moment = 0;
  };
  struct Within {  // about an origin near the centre, to keep digits far from 0
    double weight = 0, moment = 0, square = 0, origin = 0;
    std::size_t values = 0;
  };
  const HuberPoints& points_;
  std::vector<double> weight_;  // per value
  Side below_, above_;
  Within within_;
  std::size_t passed_ = 0;  // points up to the centre

  double psi(double c) const {
    return points_.width * (above_.weight - below_.weight) + (within_.moment - (c - within_.origin) * within_.weight);
  }
  void put_within(double value, double weight);
  void take_from_within(double value, double weight);
  void pass(std::size_t point);
  void pass_back(std::size_t point);
  double loss(double c) const;
};

}  // namespace softwood::hard
