// Training and predictions in double precision, which tests compare with the NumPy twin to the last digits. It is not
// used for learning, so it is compiled without forced inlining and for one instruction set (CMakeLists.txt), in a tenth
// of the time.
#include "budding/row_update.hpp"

namespace softwood::budding {

void move_by_gradients(Updater<double>& updater) { move_parts(updater); }

double train(OnlineState<double>& state, const BudRows<double>& rows, const std::int64_t* order, std::size_t steps,
             const OnlineOptions& options) {
  const WithoutDenormals quick;
  return train_any(state, rows, order, steps, options);
}

void answers(const OnlineState<double>& state, const double* x, std::size_t rows, double* output, int n_threads) {
  answer_rows(state, x, rows, output, n_threads);
}

}  // namespace softwood::budding
