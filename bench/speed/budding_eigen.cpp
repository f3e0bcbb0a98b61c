// A budding tree written straightforwardly with Eigen, about as the authors' own program is arranged: nodes on the
// heap, answers and slopes of any number of outputs as dynamic vectors, one recursion for outputs, one that adds up
// slopes, one that updates (AdaGrad); one row at a time. The yardstick of bench/speed/budding.py. The tree is a full
// one of the given depth whose structure is held still, so that both sides do the same work. Prints nanoseconds a row.
#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

using Eigen::VectorXd;

// Numbers with the slopes of a row and AdaGrad's sums of squares.
struct Numbers {
  VectorXd value, slope, squares;

  Numbers(int n, double start)
      : value(start * VectorXd::Random(n)), slope(VectorXd::Zero(n)), squares(VectorXd::Constant(n, 1e-12)) {}

  void update(double step) {
    squares += slope.cwiseAbs2();
    value -= step * slope.cwiseQuotient(squares.cwiseSqrt());
    slope.setZero();
  }
};

struct Node {
  Numbers gate, response;
  double leafness = 0.5, leafness_slope = 0, leafness_squares = 1e-12, share = 0;
  VectorXd output;
  std::unique_ptr<Node> left, right;

  Node(int columns, int outputs, int depth) : gate(columns, 0.01), response(outputs, 0.01), output(outputs) {
    if (depth == 0) return;
    left = std::make_unique<Node>(columns, outputs, depth - 1);
    right = std::make_unique<Node>(columns, outputs, depth - 1);
  }

  VectorXd forward(const VectorXd& x) {
    if (!left) return output = response.value;
    share = 1 / (1 + std::exp(-gate.value.dot(x)));
    output = leafness * response.value + (1 - leafness) * (share * left->forward(x) + (1 - share) * right->forward(x));
    return output;
  }

  void backward(const VectorXd& x, const VectorXd& delta, double price) {
    if (!left) {
      response.slope += delta;
      return;
    }
    response.slope += leafness * delta;
    leafness_slope += delta.dot(response.value - share * left->output - (1 - share) * right->output) - price;
    gate.slope += (1 - leafness) * share * (1 - share) * delta.dot(left->output - right->output) * x;
    left->backward(x, delta * (1 - leafness) * share, price);
    right->backward(x, delta * (1 - leafness) * (1 - share), price);
  }

  void update(double step) {
    response.update(step);
    if (!left) return;
    gate.update(step);
    leafness_squares += leafness_slope * leafness_slope;
    leafness -= step * leafness_slope / std::sqrt(leafness_squares);
    leafness = std::fmin(std::fmax(leafness, 0.0), 0.99);
    leafness_slope = 0;
    left->update(step);
    right->update(step);
  }
};

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "rows columns depth epochs\n"), 1;
  const int rows = std::atoi(argv[1]), columns = std::atoi(argv[2]) + 1, depth = std::atoi(argv[3]);
  const int epochs = std::atoi(argv[4]);
  std::vector<VectorXd> x(rows), y(rows, VectorXd(1));
  for (int i = 0; i < rows; ++i) {
    x[i] = VectorXd::Random(columns), x[i](0) = 1;
    y[i](0) = std::sin(3 * x[i](1)) + x[i](2);
  }
  Node root(columns, 1, depth);
  double best = 1e300;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < rows; ++i) {
      root.backward(x[i], root.forward(x[i]) - y[i], 1e-4);
      root.update(0.1);
    }
    best = std::fmin(best, double(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::printf("%.1f\n", 1e9 * best / rows);
}
