#include "predict/sigmoid_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/machine.hpp"
#include "predict/basis.hpp"
#include "simd/block_product.hpp"
#include "simd/sigmoid.hpp"
#include "simd/vector.hpp"

namespace softwood::sigmoid_predictor {
namespace {

constexpr std::size_t NO_PLACE = static_cast<std::size_t>(-1);
using Pack = simd::Lanes<double>::Pack;
constexpr std::size_t WIDTH = simd::Lanes<double>::kWidth;
constexpr std::size_t STEP = 8 * WIDTH;  // rows per product
constexpr double TO_BITS = simd::Sigmoid<double>::kToBits;

// What a visit gate by gate (predict/block_predictor.hpp) costs more than a SigmoidPredictor, counted in columns: as
// many of them may be in the product though a gate does not look at them.
constexpr std::size_t SPARE_COLUMNS = 40;
// In larger trees a row reaches few of the gates, which only a visit exploits.
constexpr std::size_t MOST_GATES = 255;

SOFTWOOD_INLINE void add_slopes(const Plan& plan, Workspace& room, std::size_t rows) {
  const std::size_t forms = plan.slope.size() / plan.columns;
  simd::form_scores(plan.slope.data(), forms, plan.columns, plan.columns, nullptr, 0, room.phi.data(),
                    room.slope_score.data(), rows);
  for (const Slope& node : plan.sloped)
    for (std::size_t k = 0; k < plan.outputs; ++k) {
      const double* reach = room.reach.data() + node.place * ROWS;
      const double* score = room.slope_score.data() + (node.row * plan.outputs + k) * ROWS;
      double* output = room.output.data() + k * ROWS;
      for (std::size_t row = 0; row < rows; ++row) output[row] += reach[row] * node.leafness * score[row];
    }
}

// Reach from the root down, then the outputs.
SOFTWOOD_INLINE void answer_downwards(const Plan& plan, Workspace& room, std::size_t rows) {
  double* reach = room.reach.data();
  std::fill_n(reach + plan.root * ROWS, rows, 1.0);
  for (std::size_t gate = 0; gate < plan.branch.size(); ++gate) {
    const Branch& branch = plan.branch[gate];
    simd::split_reach(reach + branch.place * ROWS, room.share.data() + gate * ROWS, branch.passes,
                      reach + branch.first * ROWS, reach + branch.second * ROWS, rows);
  }
  simd::form_scores(plan.response.data(), plan.outputs, plan.answering, plan.answering, nullptr, 0, reach,
                    room.output.data(), rows);
  if (!plan.sloped.empty()) add_slopes(plan, room, rows);
}

// value = second + share * (first - second); both are functions of the row, a pack at a time.
template <class First, class Second>
SOFTWOOD_INLINE void mix(First&& first, Second&& second, const double* share, double* value, std::size_t rows) {
  for (std::size_t row = 0; row < rows; row += 4 * WIDTH) {
    Pack mixed[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t at = row + i * WIDTH;
      mixed[i] = second(at) + simd::load(share + at) * (first(at) - second(at));
    }
    for (std::size_t i = 0; i < 4; ++i) simd::store(value + row + i * WIDTH, mixed[i]);
  }
}

// Values from the leaves up; that of the root is the output. The table of reach holds the values.
SOFTWOOD_INLINE void answer_upwards(const Plan& plan, Workspace& room, std::size_t rows) {
  double* table = room.reach.data();
  const auto constant = [&](std::size_t place) {
    return [all = Pack{} + plan.response[place]](std::size_t) SOFTWOOD_INLINE_LAMBDA { return all; };
  };
  const auto value = [&](std::size_t place) {
    return [of = table + place * ROWS](std::size_t row) SOFTWOOD_INLINE_LAMBDA -> Pack { return simd::load(of + row); };
  };
  for (std::size_t gate = plan.branch.size(); gate-- > 0;) {
    const auto& [place, first, second, first_ends, second_ends, passes] = plan.branch[gate];
    const double* share = room.share.data() + gate * ROWS;
    double* into = gate == 0 ? room.output.data() : table + place * ROWS;
    if (first_ends && second_ends) {
      mix(constant(first), constant(second), share, into, rows);
    } else if (first_ends) {
      mix(constant(first), value(second), share, into, rows);
    } else if (second_ends) {
      mix(value(first), constant(second), share, into, rows);
    } else {
      mix(value(first), value(second), share, into, rows);
    }
    if (passes == 1.0) continue;
    const double kept = plan.response[place];
    for (std::size_t row = 0; row < rows; ++row) into[row] = kept + passes * into[row];
  }
}

// Outputs of the rows whose columns are in the room; true if all are finite.
SOFTWOOD_CLONED(bool, answer, (const Plan& plan, Workspace& room, std::size_t rows), (plan, room, rows)) {
  const std::size_t gates = plan.branch.size();
  double* share = room.share.data();
  simd::form_scores(plan.weight.data(), gates, plan.columns, plan.columns, plan.bias.data(), 1, room.phi.data(), share,
                    rows);
  for (std::size_t gate = 0; gate < gates; ++gate) simd::squash_bits<4>(share + gate * ROWS, rows);
  if (plan.outputs == 1 && plan.sloped.empty()) {
    answer_upwards(plan, room, rows);
  } else {
    answer_downwards(plan, room, rows);
  }
  std::uint64_t endless = 0;
  for (std::size_t k = 0; k < plan.outputs; ++k)
    for (std::size_t row = 0; row < rows; ++row)
      endless += !(std::abs(room.output[k * ROWS + row]) <= std::numeric_limits<double>::max());
  return endless == 0;
}

typedef double Two __attribute__((vector_size(16)));
typedef double StoredTwo __attribute__((vector_size(16), aligned(8), may_alias));  // two numbers of an array

SOFTWOOD_INLINE Two load_two(const double* from) { return *reinterpret_cast<const StoredTwo*>(from); }
SOFTWOOD_INLINE Two size_of(Two two) { return Two{std::abs(two[0]), std::abs(two[1])}; }
SOFTWOOD_INLINE void store_two(Two two, double* to) { *reinterpret_cast<StoredTwo*>(to) = two; }

// Two rows, `stride` apart, turned into entries side by side: input j to into[row_of[j] * ROWS]. Returns the sum of the
// sizes of all values: NaN if one is missing, and large if one is large.
SOFTWOOD_INLINE double turn_two(const double* from, std::ptrdiff_t stride, const std::vector<std::size_t>& row_of,
                                double* into) {
  const std::size_t inputs = row_of.size(), pairs = inputs - inputs % 2;
  Two sum{};
  for (std::size_t j = 0; j < pairs; j += 2) {
    const Two a = load_two(from + j), b = load_two(from + stride + j);
    store_two(Two{a[0], b[0]}, into + row_of[j] * ROWS);
    store_two(Two{a[1], b[1]}, into + row_of[j + 1] * ROWS);
    sum += size_of(a) + size_of(b);
  }
  if (pairs == inputs) return sum[0] + sum[1];
  const Two last{from[pairs], from[stride + pairs]};
  store_two(last, into + row_of[pairs] * ROWS);
  sum += size_of(last);
  return sum[0] + sum[1];
}

// Reachable nodes, those with responses first; and the index of each.
struct Places {
  Places(const Tree& tree, std::size_t root);
  std::vector<std::size_t> node, place;
  std::size_t answering = 0;  // number of nodes with responses
};

Places::Places(const Tree& tree, std::size_t root) : place(tree.n_nodes(), NO_PLACE) {
  std::vector<std::size_t> passing;
  for (const std::size_t m : tree.reached_from(root)) (tree.gate[m].leafness == 0.0 ? passing : node).push_back(m);
  answering = node.size();
  node.insert(node.end(), passing.begin(), passing.end());
  for (std::size_t at = 0; at < node.size(); ++at) place[node[at]] = at;
}

void take_gates(Plan& plan, const Tree& tree, const Needs& needs, const Places& places) {
  std::vector<std::size_t> column_of(tree.basis.size());
  for (std::size_t c = 0; c < needs.column.size(); ++c) column_of[needs.column[c]] = c;
  for (std::size_t m = 0; m < tree.n_nodes(); ++m) {  // parents before children
    const Gate& gate = tree.gate[m];
    if (places.place[m] == NO_PLACE || gate.keeps_all()) continue;
    const std::size_t first = static_cast<std::size_t>(gate.first_child), second = first + 1;
    plan.branch.push_back({places.place[m], places.place[first], places.place[second], tree.gate[first].keeps_all(),
                           tree.gate[second].keeps_all(), 1.0 - gate.leafness});
    plan.bias.push_back(gate.bias * TO_BITS);
    plan.weight.resize(plan.branch.size() * plan.columns);
    double* weight = plan.weight.data() + (plan.branch.size() - 1) * plan.columns;
    for (std::int32_t j = gate.weight_begin; j < gate.weight_end; ++j)
      weight[column_of[tree.weight_column[j]]] += tree.weight[j] * TO_BITS;
  }
}

void take_responses(Plan& plan, const Tree& tree, const Needs& needs, const Places& places) {
  plan.response.resize(plan.outputs * plan.answering);
  for (std::size_t at = 0; at < plan.answering; ++at) {
    const std::size_t m = places.node[at];
    const Gate& gate = tree.gate[m];
    for (std::size_t k = 0; k < plan.outputs; ++k)
      plan.response[k * plan.answering + at] = gate.leafness * tree.response[m * plan.outputs + k];
    if (gate.slope_row < 0 || plan.columns == 0) continue;
    plan.sloped.push_back({at, plan.sloped.size(), gate.leafness});
    const double* slope =
        tree.slope.data() + static_cast<std::size_t>(gate.slope_row) * tree.basis.size() * plan.outputs;
    for (std::size_t k = 0; k < plan.outputs; ++k)
      for (const std::int32_t column : needs.column)
        plan.slope.push_back(slope[static_cast<std::size_t>(column) * plan.outputs + k]);
  }
}

// An input is in the row of its identity column, or after all columns if there is none. An identity column is only
// repaired if values are missing or large; one that is part of a curve is computed like the others.
void take_columns(Plan& plan, const Tree& tree, const Needs& needs) {
  std::vector<std::size_t> row_of(tree.n_features, NO_PLACE);
  for (std::size_t c = 0; c < plan.columns; ++c) {
    const Column& column = tree.basis[needs.column[c]];
    if (column.term != Term::identity || row_of[column.feature] != NO_PLACE || column.high != -column.low) continue;
    row_of[column.feature] = c;
    plan.repaired.push_back({column, c, c});
    plan.limit = std::min(plan.limit, column.high);
  }
  plan.rows = plan.columns;
  for (const std::int32_t feature : needs.feature) {
    if (row_of[feature] == NO_PLACE) row_of[feature] = plan.rows++;
    plan.row_of.push_back(row_of[feature]);
  }
  for (std::size_t c = 0; c < plan.columns; ++c) {
    const Column& column = tree.basis[needs.column[c]];
    if (row_of[column.feature] != c) plan.made.push_back({column, c, row_of[column.feature]});
  }
  plan.all_inputs = needs.feature.size() == tree.n_features;
}

Plan make_plan(const Tree& tree, const Needs& needs, std::size_t root) {
  const Places places(tree, root);
  Plan plan;
  plan.columns = needs.column.size(), plan.outputs = tree.n_outputs;
  plan.nodes = places.node.size(), plan.answering = places.answering, plan.root = places.place[root];
  take_gates(plan, tree, needs, places);
  take_responses(plan, tree, needs, places);
  take_columns(plan, tree, needs);
  return plan;
}

}  // namespace

void Workspace::fit(const Plan& plan) {
  const auto grow = [](std::vector<double>& table, std::size_t rows) {
    table.resize(std::max(table.size(), rows * ROWS));
  };
  grow(phi, plan.rows), grow(share, plan.branch.size()), grow(reach, plan.nodes), grow(output, plan.outputs);
  grow(slope_score, plan.slope.size() / std::max<std::size_t>(plan.columns, 1));
}

SigmoidPredictor::SigmoidPredictor(const Tree& tree, Needs needs, std::size_t root)
    : needs_(std::move(needs)), plan_(make_plan(tree, needs_, root)) {}

bool SigmoidPredictor::suits(const Tree& tree, const Needs& needs, std::size_t root) {
  if (tree.gate[root].keeps_all())
    return simd::products_are_fused() && tree.gate[root].slope_row >= 0 && !needs.column.empty();
  std::size_t gates = 0, weights = 0;
  for (const std::size_t m : tree.reached_from(root)) {
    const Gate& gate = tree.gate[m];
    if (gate.keeps_all()) continue;
    if (gate.score != Score::linear || gate.squash != Squash::sigmoid) return false;
    if (!std::isfinite(gate.bias * TO_BITS)) return false;
    const auto is_finite = [](double weight) { return std::isfinite(weight * TO_BITS); };
    const auto first = tree.weight.begin();
    if (!std::all_of(first + gate.weight_begin, first + gate.weight_end, is_finite)) return false;
    ++gates;
    weights += static_cast<std::size_t>(gate.weight_end - gate.weight_begin);
  }
  return simd::products_are_fused() && gates <= MOST_GATES &&
         gates * needs.column.size() <= weights + gates * SPARE_COLUMNS;
}

bool SigmoidPredictor::output(const Table& rows, std::size_t begin, std::size_t n, Workspace& room, double* out) const {
  load(rows, begin, n, room);
  const bool finite = answer(plan_, room, (n + STEP - 1) / STEP * STEP);
  for (std::size_t k = 0; k < plan_.outputs; ++k)
    for (std::size_t i = 0; i < n; ++i) out[i * plan_.outputs + k] = room.output[k * ROWS + i];
  return finite;
}

void SigmoidPredictor::load(const Table& rows, std::size_t begin, std::size_t n, Workspace& room) const {
  double* phi = room.phi.data();
  double size_sum = 0.0;
  std::size_t i = 0;
  if (plan_.all_inputs && rows.column_stride == 1) {
    for (; i + 2 <= n; i += 2) size_sum += turn_two(&rows.at(begin + i, 0), rows.row_stride, plan_.row_of, phi + i);
  }
  for (; i < n; ++i) {
    for (std::size_t j = 0; j < plan_.row_of.size(); ++j) {
      const double value = rows(begin + i, static_cast<std::size_t>(needs_.feature[j]));
      phi[plan_.row_of[j] * ROWS + i] = value;
      size_sum += std::abs(value);
    }
  }
  const bool missing = std::isnan(size_sum);
  std::size_t last = NO_PLACE;
  bool far = false;
  for (const Filled& to : plan_.made) {
    const auto feature = static_cast<std::size_t>(to.column.feature);
    if (to.from != last) far = is_beyond(phi + to.from * ROWS, n, needs_.low[feature], needs_.high[feature]);
    last = to.from;
    (far ? expand_far : expand)(to.column, phi + to.from * ROWS, phi + to.row * ROWS, n, missing);
  }
  if (size_sum <= plan_.limit) return;
  for (const Filled& to : plan_.repaired) repair(to.column, phi + to.row * ROWS, n);
}

}  // namespace softwood::sigmoid_predictor
