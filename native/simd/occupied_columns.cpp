#include "simd/occupied_columns.hpp"

#include <algorithm>

#include "simd/block.hpp"

namespace softwood::simd {

template <class T>
std::shared_ptr<const Occupied> find_occupied(const std::vector<T>& phi, std::size_t blocks, std::size_t columns) {
  constexpr double kWorth = 0.8;  // part of all columns; beyond, finding one's way costs what is saved
  auto found = std::make_shared<Occupied>();
  found->begin.push_back(0);
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t c = 0; c < columns; ++c) {
      const T* x = phi.data() + (block * columns + c) * kBlock;
      if (std::any_of(x, x + kBlock, [](T value) { return value != T(0); }))
        found->column.push_back(static_cast<std::int32_t>(c));
    }
    found->begin.push_back(found->column.size());
  }
  if (static_cast<double>(found->column.size()) > kWorth * static_cast<double>(blocks * columns)) return nullptr;
  return found;
}

template std::shared_ptr<const Occupied> find_occupied(const std::vector<double>&, std::size_t, std::size_t);
template std::shared_ptr<const Occupied> find_occupied(const std::vector<float>&, std::size_t, std::size_t);

}  // namespace softwood::simd
