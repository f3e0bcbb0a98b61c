#include "anneal/local_update.hpp"

#include <algorithm>
#include <cmath>

#include "simd/block_loops.hpp"

namespace softwood {

namespace {

constexpr int LEVELS = 2;  // of gates below the top one

void find_ramp(const double* x, std::size_t n, double below, double above, double* share) {
  const double rate_below = rate(below), rate_above = rate(above);
  for (std::size_t i = 0; i < n; ++i) share[i] = ramp(x[i], rate_below, rate_above);
}

}  // namespace

LocalUpdate::LocalUpdate(const RampTree& tree, const std::vector<Width>& group, const std::vector<double>& theta,
                         const std::vector<double>& output)
    : tree_(tree), theta_(theta), side_(group[0].side) {
  const std::int32_t top = group[0].node;
  const bool both = group.size() > 1 && group[1].node == top;  // the one gate of a stump
  const std::vector<double> reach = tree.reach(top, theta.data());
  for (std::size_t row = 0; row < reach.size(); ++row) {
    if (!(reach[row] > 0)) continue;
    // Rows with a share of 0 on this side do not change.
    if (!both && !(tree.share(top, row, static_cast<std::size_t>(side_), theta.data()) > 0)) continue;
    row_.push_back(row);
    reach_.push_back(reach[row]);
    weight_.push_back(tree.problem().weight[row]);
  }
  add(top, 0);
  share_.resize(local_.size() * BLOCK);
  const std::size_t n = row_.size(), parts = tree.parts();
  rest_.assign(parts * n, 0.0);
  std::vector<double> now(BLOCK);
  for (std::size_t begin = 0; begin < n; begin += BLOCK) {
    const std::size_t size = std::min(BLOCK, n - begin);
    find_shares(theta.data(), begin, size);
    for (std::size_t t = 0; t < parts; ++t) {
      outputs(t, begin, size, now.data());
      for (std::size_t i = 0; i < size; ++i) rest_[t * n + begin + i] = output[row_[begin + i] * parts + t] - now[i];
    }
  }
  if (!tree.problem().code.empty()) return;
  for (std::size_t t = 0; t < parts; ++t)
    for (const std::size_t row : row_) target_.push_back(tree.problem().y[row * parts + t]);
}

int LocalUpdate::add_subtree(std::int32_t node) {
  Local local;
  local.node = node;
  for (std::size_t t = 0; t < tree_.parts(); ++t)
    for (const std::size_t row : row_) local.number.push_back(tree_.value(node, row, t, theta_.data()));
  local_.push_back(std::move(local));
  return static_cast<int>(local_.size()) - 1;
}

int LocalUpdate::add(std::int32_t node, int level) {
  const RampProblem& p = tree_.problem();
  if (!tree_.is_branch(node) || level > LEVELS || (level == LEVELS && !p.softens[node])) return add_subtree(node);
  const int id = static_cast<int>(local_.size());
  local_.emplace_back();
  Local local;
  local.node = node;
  local.softens = p.softens[node];
  for (std::int32_t s = 0; s < p.n_children[node]; ++s) {
    const std::int32_t child = p.first_child[node] + s;
    local.child.push_back(level == 0 && s != side_ ? add_subtree(child) : add(child, level + 1));
    if (local.softens) continue;
    for (const std::size_t row : row_)
      local.number.push_back(tree_.share(node, row, static_cast<std::size_t>(s), theta_.data()));
  }
  for (std::size_t i = 0; local.softens && i < row_.size(); ++i) {
    const double x = tree_.distance(node, row_[i]);
    if (std::isnan(x)) local.missing.push_back({i, tree_.missing_share(node, row_[i])});
    local.number.push_back(std::isnan(x) ? 0.0 : x);
  }
  local_[static_cast<std::size_t>(id)] = std::move(local);
  return id;
}

void LocalUpdate::find_shares(const double* theta, std::size_t begin, std::size_t n) {
  const double* scale = tree_.problem().scale.data();
  for (std::size_t k = 0; k < local_.size(); ++k) {
    const Local& local = local_[k];
    if (!local.softens) continue;
    const std::size_t at = 2 * static_cast<std::size_t>(local.node);
    double* share = share_.data() + k * BLOCK;
    find_ramp(local.number.data() + begin, n, theta[at] * scale[at], theta[at + 1] * scale[at + 1], share);
    auto missing = std::lower_bound(local.missing.begin(), local.missing.end(), begin,
                                    [](const MissingShare& one, std::size_t place) { return one.at < place; });
    for (; missing != local.missing.end() && missing->at < begin + n; ++missing)
      share[missing->at - begin] = missing->share;
  }
}

void LocalUpdate::answer(int id, std::size_t part, std::size_t begin, std::size_t n, double* out) const {
  const Local& local = local_[static_cast<std::size_t>(id)];
  const std::size_t rows = row_.size();
  if (local.child.empty()) {
    std::copy_n(local.number.data() + part * rows + begin, n, out);
    return;
  }
  double below[BLOCK];
  answer(local.child[0], part, begin, n, out);
  if (local.softens) {
    const double* share = share_.data() + static_cast<std::size_t>(id) * BLOCK;
    answer(local.child[1], part, begin, n, below);
    for (std::size_t i = 0; i < n; ++i) out[i] = below[i] + share[i] * (out[i] - below[i]);
    return;
  }
  const double* share = local.number.data() + begin;
  for (std::size_t i = 0; i < n; ++i) out[i] *= share[i];
  for (std::size_t s = 1; s < local.child.size(); ++s) {
    answer(local.child[s], part, begin, n, below);
    for (std::size_t i = 0; i < n; ++i) out[i] += share[s * rows + i] * below[i];
  }
}

void LocalUpdate::outputs(std::size_t part, std::size_t begin, std::size_t n, double* out) const {
  answer(0, part, begin, n, out);
  for (std::size_t i = 0; i < n; ++i) out[i] *= reach_[begin + i];
}

double LocalUpdate::loss(const double* theta) {
  const std::size_t rows = row_.size(), parts = tree_.parts();
  const double alpha = tree_.problem().alpha;
  double sum = 0, out[BLOCK];
  for (std::size_t begin = 0; begin < rows; begin += BLOCK) {
    const std::size_t n = std::min(BLOCK, rows - begin);
    find_shares(theta, begin, n);
    for (std::size_t t = 0; t < parts; ++t) {
      outputs(t, begin, n, out);
      const double *rest = rest_.data() + t * rows + begin, *weight = weight_.data() + begin;
      if (target_.empty()) {
        for (std::size_t i = 0; i < n; ++i) out[i] = -alpha * (rest[i] + out[i]);
        exp_lanes(out, n);
        for (std::size_t i = 0; i < n; ++i) sum += weight[i] * out[i];
      } else {
        const double* target = target_.data() + t * rows + begin;
        for (std::size_t i = 0; i < n; ++i) {
          const double d = target[i] - rest[i] - out[i];
          sum += weight[i] * d * d;
        }
      }
    }
  }
  return sum;
}

void LocalUpdate::write(const double* theta, std::vector<double>& output) {
  const std::size_t rows = row_.size(), parts = tree_.parts();
  double out[BLOCK];
  for (std::size_t begin = 0; begin < rows; begin += BLOCK) {
    const std::size_t n = std::min(BLOCK, rows - begin);
    find_shares(theta, begin, n);
    for (std::size_t t = 0; t < parts; ++t) {
      outputs(t, begin, n, out);
      for (std::size_t i = 0; i < n; ++i) output[row_[begin + i] * parts + t] = rest_[t * rows + begin + i] + out[i];
    }
  }
}

}  // namespace softwood
