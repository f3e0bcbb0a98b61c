#include "anneal/anneal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "anneal/local_update.hpp"
#include "core/interrupt.hpp"
#include "simd/elementary.hpp"

namespace softwood {

namespace {

// Constants of src/softwood/kernels/contracts/anneal.py.
constexpr double TEMPERATURE = 10, LEAST_LOG = std::numbers::e - 1, BETTER = 1e-12, HEAT = 1000;
constexpr int PROPOSALS = 100, PER_TEMPERATURE = 10;

}  // namespace

double Random::uniform() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double Random::normal() {
  const double one = uniform(), other = uniform();
  return std::sqrt(-2 * elementary::log(1 - one)) * elementary::cos_of_turn(other);
}

Annealer::Annealer(const RampProblem& problem, std::uint64_t seed)
    : tree_(problem), random_(seed), theta_(problem.scale.size(), 0.0) {
  output_.resize(tree_.rows() * tree_.parts());
  for (std::size_t row = 0; row < tree_.rows(); ++row)
    for (std::size_t t = 0; t < tree_.parts(); ++t)
      output_[row * tree_.parts() + t] = tree_.value(0, row, t, theta_.data());
  progress_.loss = tree_.loss(theta_.data(), 1);
  unit_ = progress_.loss / HEAT;
  find_groups();
}

std::vector<Width> Annealer::top_widths(std::int32_t top) const {
  const RampProblem& p = tree_.problem();
  std::vector<std::int32_t> nodes{top};
  for (std::int32_t s = 0; s < p.n_children[top]; ++s) nodes.push_back(p.first_child[top] + s);
  std::vector<Width> widths;
  for (const std::int32_t node : nodes)
    if (p.softens[node]) widths.insert(widths.end(), {{node, 0}, {node, 1}});
  return widths;
}

void Annealer::find_groups() {
  const RampProblem& p = tree_.problem();
  std::vector<std::vector<Width>> alone;
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(p.softens.size()); ++node) {
    if (!p.softens[node]) continue;
    alone.push_back({{node, 0}, {node, 1}});
    for (std::int32_t side = 0; side < 2; ++side) {
      const std::int32_t child = p.first_child[node] + side;
      if (!tree_.is_branch(child)) continue;
      groups_.push_back({{node, side}});
      const std::vector<Width> below = top_widths(child);
      groups_.back().insert(groups_.back().end(), below.begin(), below.end());
    }
  }
  if (groups_.empty()) groups_ = std::move(alone);
}

AnnealProgress Annealer::run(std::int64_t max_calls, std::int64_t patience) {
  for (std::int64_t call = 0; call < max_calls && !groups_.empty() && progress_.failures < patience; ++call) {
    const auto drawn = static_cast<std::size_t>(random_.uniform() * static_cast<double>(groups_.size()));
    const double loss = anneal(groups_[drawn]);
    const bool better = loss < progress_.loss * (1 - BETTER);
    ++progress_.calls;
    progress_.successes += better;
    progress_.failures = better ? 0 : progress_.failures + 1;
    if (better) progress_.loss = loss;
  }
  return progress_;
}

double Annealer::anneal(const std::vector<Width>& group) {
  LocalUpdate local(tree_, group, theta_, output_);
  const double others = progress_.loss - local.loss(theta_.data());
  std::vector<double> here = theta_, best = theta_, tried;
  double loss = progress_.loss, best_loss = loss;
  for (int its = 0; its < PROPOSALS; ++its) {
    poll_interrupt();
    const double t = TEMPERATURE / elementary::log(its / PER_TEMPERATURE * PER_TEMPERATURE + LEAST_LOG);
    tried = here;
    bool allowed = true;
    for (const Width width : group) {
      tried[width.at()] += random_.normal() * (t / TEMPERATURE);
      allowed &= tried[width.at()] >= 0;
    }
    const double tried_loss = allowed ? others + local.loss(tried.data()) : std::numeric_limits<double>::infinity();
    if (tried_loss > loss && !(random_.uniform() < elementary::exp(-(tried_loss - loss) / (t * unit_)))) continue;
    here = tried;
    loss = tried_loss;
    if (loss >= best_loss) continue;
    best = here;
    best_loss = loss;
  }
  if (best_loss < progress_.loss * (1 - BETTER)) {
    local.write(best.data(), output_);
    theta_ = std::move(best);
  }
  return best_loss;
}

}  // namespace softwood
