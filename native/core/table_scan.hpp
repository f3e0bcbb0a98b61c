// A scan of a table, value by value; the reference is src/softwood/kernels/reference/table_scan.py.
#pragma once

#include <cstdint>

#include "core/views.hpp"

namespace softwood::table_scan {

// Mixes the values of the table into the hash of every row.
void hash_rows(const Table& table, std::uint64_t* number);

// Is a value infinite? NaN is not.
bool any_infinite(const Table& table);

}  // namespace softwood::table_scan
