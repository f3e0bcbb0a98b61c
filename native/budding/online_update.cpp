// Training and predictions in single precision, which the learner uses.
#include "budding/row_update.hpp"

namespace softwood::budding {

SOFTWOOD_CLONED(void, move_by_gradients, (Updater<float> & updater), (updater)) { move_parts(updater); }

namespace {

SOFTWOOD_CLONED(double, train_clone,
                (OnlineState<float> & state, const BudRows<float>& rows, const std::int64_t* order, std::size_t steps,
                 const OnlineOptions& options),
                (state, rows, order, steps, options)) {
  return train_any(state, rows, order, steps, options);
}

}  // namespace

double train(OnlineState<float>& state, const BudRows<float>& rows, const std::int64_t* order, std::size_t steps,
             const OnlineOptions& options) {
  const WithoutDenormals quick;
  return train_clone(state, rows, order, steps, options);
}

void answers(const OnlineState<float>& state, const float* x, std::size_t rows, double* output, int n_threads) {
  answer_rows(state, x, rows, output, n_threads);
}

}  // namespace softwood::budding
