// A budding tree with Eigen, leaner than a general program can be: answers are single numbers, slopes are never stored,
// and one recursion finds and applies them. The second yardstick of bench/speed/budding.py. Otherwise as
// budding_eigen.cpp.
#include <Eigen/Dense>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

using Eigen::VectorXd;

struct Node {
  VectorXd weight, weight_squares;
  double response, response_squares = 0, leafness = 0.5, leafness_squares = 0, share = 0, output = 0;
  std::unique_ptr<Node> left, right;

  Node(int columns, int depth)
      : weight(0.01 * VectorXd::Random(columns)),
        weight_squares(VectorXd::Zero(columns)),
        response(0.01 * std::rand() / RAND_MAX) {
    if (depth == 0) return;
    left = std::make_unique<Node>(columns, depth - 1);
    right = std::make_unique<Node>(columns, depth - 1);
  }

  double forward(const VectorXd& x) {
    if (!left) return output = response;
    share = 1 / (1 + std::exp(-weight.dot(x)));
    const double mix = share * left->forward(x) + (1 - share) * right->forward(x);
    return output = leafness * response + (1 - leafness) * mix;
  }

  void backward(const VectorXd& x, double delta, double step, double price) {
    if (left) {
      const double passed = delta * (1 - leafness), gap = left->output - right->output;
      const double mix = share * left->output + (1 - share) * right->output;
      left->backward(x, passed * share, step, price);
      right->backward(x, passed * (1 - share), step, price);
      const VectorXd gradient = passed * gap * share * (1 - share) * x;
      weight_squares += gradient.cwiseProduct(gradient);
      weight -= step * gradient.cwiseQuotient((weight_squares.array() + 1e-12).sqrt().matrix());
      const double slope = delta * (response - mix) - price;
      leafness_squares += slope * slope;
      leafness -= step * slope / std::sqrt(leafness_squares + 1e-12);
      leafness = std::fmin(std::fmax(leafness, 0.0), 0.99);
    }
    const double slope = delta * (left ? leafness : 1.0);
    response_squares += slope * slope;
    response -= step * slope / std::sqrt(response_squares + 1e-12);
  }
};

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "rows columns depth epochs\n"), 1;
  const int rows = std::atoi(argv[1]), columns = std::atoi(argv[2]) + 1, depth = std::atoi(argv[3]);
  const int epochs = std::atoi(argv[4]);
  std::vector<VectorXd> x(rows, VectorXd::Random(columns));
  std::vector<double> y(rows);
  for (int i = 0; i < rows; ++i) x[i] = VectorXd::Random(columns), x[i](0) = 1, y[i] = std::sin(3 * x[i](1)) + x[i](2);
  Node root(columns, depth);
  double best = 1e300;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < rows; ++i) root.backward(x[i], root.forward(x[i]) - y[i], 0.1, 1e-4);
    best = std::fmin(best, double(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::printf("%.1f\n", 1e9 * best / rows);
}
