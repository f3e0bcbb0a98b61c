#include "evidence/hat_products.hpp"

#include "core/machine.hpp"
#include "core/parallel.hpp"

namespace softwood::evidence {
namespace {

constexpr std::size_t SUMS = 4;  // of a pair of segments: of w, w t, w u and w t u, t and u the parts of its two inputs

// Adds the rows to the cells (segments of f, segments of g, SUMS).
SOFTWOOD_CLONED(void, add_rows,
                (const std::int32_t* f, const double* t, const std::int32_t* g, const double* u, const double* weight,
                 std::size_t rows, std::size_t segments_of_g, double* cell),
                (f, t, g, u, weight, rows, segments_of_g, cell)) {
  for (std::size_t i = 0; i < rows; ++i) {
    double* to = cell + (static_cast<std::size_t>(f[i]) * segments_of_g + static_cast<std::size_t>(g[i])) * SUMS;
    const double w = weight[i], wt = w * t[i];
    to[0] += w;
    to[1] += wt;
    to[2] += w * u[i];
    to[3] += wt * u[i];
  }
}

class Products {
 public:
  Products(const HatRows& rows, const double* weight)
      : rows_(rows), weight_(weight), columns_(column(rows.inputs)), H_(columns_ * columns_) {}

  void add_pair(std::size_t f, std::size_t g) {
    const std::size_t m = column(f + 1) - column(f), n = column(g + 1) - column(g);
    std::vector<double> cell(m * n * SUMS);
    const std::size_t of_f = f * rows_.rows, of_g = g * rows_.rows;
    add_rows(rows_.segment + of_f, rows_.part + of_f, rows_.segment + of_g, rows_.part + of_g, weight_, rows_.rows, n,
             cell.data());
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double* sum = &cell[(i * n + j) * SUMS];
        const double first = sum[1] - sum[3], second = sum[2] - sum[3];  // w t (1 - u), w (1 - t) u
        add(column(f) + i, column(g) + j, sum[0] - sum[1] - second);
        if (i + 1 < m) add(column(f) + i + 1, column(g) + j, first);
        if (j + 1 < n) add(column(f) + i, column(g) + j + 1, second);
        if (i + 1 < m && j + 1 < n) add(column(f) + i + 1, column(g) + j + 1, sum[3]);
      }
    }
    if (f == g) return;
    for (std::size_t i = column(f); i < column(f + 1); ++i) {
      for (std::size_t j = column(g); j < column(g + 1); ++j) H_[j * columns_ + i] = H_[i * columns_ + j];
    }
  }

  std::vector<double> take() { return std::move(H_); }

 private:
  std::size_t column(std::size_t input) const { return static_cast<std::size_t>(rows_.begin[input]); }
  void add(std::size_t i, std::size_t j, double value) { H_[i * columns_ + j] += value; }

  const HatRows& rows_;
  const double* weight_;
  std::size_t columns_;
  std::vector<double> H_;
};

}  // namespace

std::vector<double> hat_products(const HatRows& rows, const double* weight, int n_threads) {
  Products products(rows, weight);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t f = 0; f < rows.inputs; ++f) {
    for (std::size_t g = f; g < rows.inputs; ++g) pairs.emplace_back(f, g);
  }
  for_each_piece(pairs.size(), n_threads,
                 [&](std::size_t piece) { products.add_pair(pairs[piece].first, pairs[piece].second); });
  return products.take();
}

}  // namespace softwood::evidence
