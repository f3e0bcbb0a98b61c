// What a table holds, value by value; the definition is src/softwood/kernels/reference/table_scan.py.
#pragma once

#include <cstdint>

#include "core/views.hpp"

namespace softwood::table_scan {

// Mixes the values of the table into the number of every row.
void hash_rows(const Table& table, std::uint64_t* number);

// Is a value infinite? NaN is not.
bool any_infinite(const Table& table);

}  // namespace softwood::table_scan
