// One row through a budding tree: outputs upwards, slopes downwards. Inlined into functions that are compiled once for
// each instruction set. Sums run over four lanes on every machine, so that all give the same answer.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "budding.hpp"
#include "forms.hpp"
#include "soft_exp.hpp"

namespace softwood::budding {

template <class T>
struct Lane {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  typedef T Four __attribute__((vector_size(kLanes * sizeof(T)), aligned(sizeof(T)), may_alias));
  typedef Word Bits __attribute__((vector_size(kLanes * sizeof(T)), aligned(sizeof(T)), may_alias));
};

template <class T>
SOFTWOOD_INLINE auto& four(T* at) {
  return *reinterpret_cast<typename Lane<T>::Four*>(at);
}
template <class T>
SOFTWOOD_INLINE const auto& four(const T* at) {
  return *reinterpret_cast<const typename Lane<T>::Four*>(at);
}

template <class T>
SOFTWOOD_INLINE T dot(const T* a, const T* b, std::size_t n) {
  typename Lane<T>::Four sum = four(a) * four(b);
  for (std::size_t i = kLanes; i < n; i += kLanes) sum += four(a + i) * four(b + i);
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// What a row leaves behind at the nodes.
template <class T>
struct Trace {
  std::vector<T> share, response, output, mix, delta;

  Trace(std::size_t room, std::size_t outputs)
      : share(room),
        response(room * outputs),
        output(room * outputs),
        mix(room * outputs),
        delta((room + 1) * outputs) {}
};

template <class T>
SOFTWOOD_INLINE void forward(const Plant<T>& plant, const T* x, Trace<T>& trace) {
  const std::size_t n = plant.count(), k = plant.outputs, block = plant.response_width();
  for (std::size_t m = 0; m < n; ++m) {
    const T* row = plant.row(m);
    trace.share[m] = plant.first_child[m] < 0 ? T(0) : -dot(row, x, plant.width);
    for (std::size_t q = 0; q < k; ++q) {
      const T* response = row + plant.width + q * block;
      trace.response[m * k + q] = plant.linear ? dot(response, x, plant.width) : *response;
    }
  }
  for (std::size_t m = 0; m < n; ++m) trace.share[m] = T(1) / (T(1) + soft::vector_exp(trace.share[m]));
  for (std::size_t m = n; m-- > 0;) {
    const T *response = &trace.response[m * k], leafness = plant.leafness(m), share = trace.share[m];
    T *output = &trace.output[m * k], *mix = &trace.mix[m * k];
    if (plant.first_child[m] < 0) {
      for (std::size_t q = 0; q < k; ++q) mix[q] = 0, output[q] = response[q];
      continue;
    }
    const T* first = &trace.output[static_cast<std::size_t>(plant.first_child[m]) * k];
    for (std::size_t q = 0; q < k; ++q) {
      mix[q] = share * first[q] + (1 - share) * first[k + q];
      output[q] = leafness * response[q] + (1 - leafness) * mix[q];
    }
  }
}

// The loss of the outputs; `delta` gets its slope.
template <class T>
inline double loss_and_slope(Loss loss, const T* output, const T* target, std::size_t k, T* delta) {
  double value = 0;
  if (loss == Loss::kSquared) {
    for (std::size_t q = 0; q < k; ++q) {
      delta[q] = output[q] - target[q];
      value += 0.5 * double(delta[q]) * double(delta[q]);
    }
    return value;
  }
  if (loss == Loss::kLogistic) {
    const double out = output[0], top = std::max(out, 0.0);
    delta[0] = static_cast<T>(1 / (1 + std::exp(-out)) - target[0]);
    return top + std::log(std::exp(-top) + std::exp(out - top)) - target[0] * out;
  }
  const double top = *std::max_element(output, output + k);
  double sum = 0;
  for (std::size_t q = 0; q < k; ++q) {
    const double part = std::exp(output[q] - top);
    sum += part;
    delta[q] = static_cast<T>(part);
    value -= target[q] * (output[q] - top);
  }
  for (std::size_t q = 0; q < k; ++q) delta[q] = static_cast<T>(delta[q] / sum) - target[q];
  return value + std::log(sum);
}

// slope (+)= factor * x over whole lanes; ADD decides whether what stands there is kept.
template <bool ADD, class T>
SOFTWOOD_INLINE void put(T* slope, T factor, const T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLanes) {
    if (ADD)
      four(slope + i) += factor * four(x + i);
    else
      four(slope + i) = factor * four(x + i);
  }
}

// The row's gradient, written or added to `slope` (nodes, size), and its loss, both by weight. The slope of a leaf's
// gate is not touched: it is 0.
template <bool ADD, class T>
SOFTWOOD_INLINE double row_gradient(const Plant<T>& plant, const T* x, const T* target, T weight,
                                    const Tending& tending, Trace<T>& trace, T* slope) {
  const std::size_t n = plant.count(), k = plant.outputs, width = plant.width, block = plant.response_width();
  const T price = static_cast<T>(tending.leafness_penalty) * weight,
          decay = static_cast<T>(tending.weight_penalty) * weight;
  forward(plant, x, trace);
  const double loss = loss_and_slope(tending.loss, trace.output.data(), target, k, trace.delta.data());
  for (std::size_t q = 0; q < k; ++q) trace.delta[q] *= weight;
  for (std::size_t m = 0; m < n; ++m) {
    const T *delta = &trace.delta[m * k], leafness = plant.leafness(m), share = trace.share[m];
    T *to = slope + m * plant.size, gap = 0;
    for (std::size_t q = 0; q < k; ++q) {
      T* response = to + width + q * block;
      gap += delta[q] * (trace.response[m * k + q] - trace.mix[m * k + q]);
      if (plant.linear)
        put<ADD>(response, delta[q] * leafness, x, width);
      else
        *response = (ADD ? *response : T(0)) + delta[q] * leafness;
    }
    T& edge = to[plant.size - kLanes];
    edge = (ADD ? edge : T(0)) + (gap - price);
    if (plant.first_child[m] < 0) continue;
    const std::size_t first = static_cast<std::size_t>(plant.first_child[m]) * k;
    T pull = 0;
    for (std::size_t q = 0; q < k; ++q) {
      const T passed = delta[q] * (1 - leafness);
      trace.delta[first + q] = passed * share;
      trace.delta[first + k + q] = passed * (1 - share);
      pull += passed * (trace.output[first + q] - trace.output[first + k + q]);
    }
    pull *= share * (1 - share);
    put<ADD>(to, pull, x, width);
    if (decay != 0)
      for (std::size_t i = 1; i < width; ++i) to[i] += decay * plant.row(m)[i];
  }
  return weight * loss;
}

}  // namespace softwood::budding
