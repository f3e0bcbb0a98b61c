// A number made of what a row holds; the definition is src/softwood/kernels/reference/content.py.
#pragma once

#include <cstdint>

#include "views.hpp"

namespace softwood::content {

// Mixes the values of the table into the number of every row.
void hash_rows(const Table& table, std::uint64_t* number);

}  // namespace softwood::content
