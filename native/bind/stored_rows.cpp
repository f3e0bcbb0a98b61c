// Sparse rows of soft trees for Python; the arrays of stored values remain Python's.
#include "bind/soft_passes.hpp"

namespace softwood {
namespace {

void check_places(const Flat<std::int32_t>& begin, const Flat<std::int32_t>& column, std::size_t columns) {
  const std::int32_t* at = begin.data();
  require(begin.size() > 0 && are_begins(begin, begin.size() - 1, column.size()),
          "rows must begin at 0, one after the other, and end with what is stored.");
  for (std::size_t row = 0; row + 1 < begin.size(); ++row)
    for (std::int32_t i = at[row] + 1; i < at[row + 1]; ++i)
      require(column.data()[i] > column.data()[i - 1], "columns must rise within a row.");
  require(are_codes(column.data(), column.size(), columns), "a column is stored that is not there.");
}

// `weight` sums to 1; `arrival` and `offset` as in soft/soft_rows.hpp.
HeldRows hold_rows(Flat<std::int32_t> begin, Flat<std::int32_t> column, Flat<double> value, Flat<double> shift,
                   const Flat2<double>& target, const Flat<double>& weight, const Flat2<double>& offset,
                   const Flat2<double>& arrival, int loss, double parameter) {
  const std::size_t n = target.shape(0), outputs = target.shape(1);
  require(begin.size() == n + 1 && column.size() == value.size() && weight.size() == n && offset.shape(0) == n &&
              offset.shape(1) == outputs && arrival.shape(0) == n && arrival.shape(1) == 1,
          "what is stored, target, weight, offset and arrival must have the same rows.");
  check_places(begin, column, shift.size());
  soft::SoftRows<double> known;
  known.rows = n, known.columns = 0, known.outputs = outputs, known.blocks = (n + soft::kBlock - 1) / soft::kBlock;
  known.loss = as_loss(loss, kLastLoss, outputs), known.loss_parameter = parameter;
  auto share = std::make_shared<std::vector<double>>(known.blocks * soft::kBlock, 0.0);
  std::copy_n(weight.data(), n, share->data());
  known.target = std::make_shared<const std::vector<double>>(in_blocks<double>(target)),
  known.weight = std::move(share);
  known.offset = in_blocks<double>(offset), known.arrival = in_blocks<double>(arrival);
  const soft::StoredRows rows{begin.data(), column.data(), value.data(), shift.data(), shift.size(), std::move(known)};
  return {std::move(begin), std::move(column), std::move(value), std::move(shift), rows};
}

}  // namespace

void bind_stored_rows(nb::module_& m) {
  nb::class_<HeldRows> bound(m, "StoredRows");
  bind_passes(bound);
  bound.def_static("make", &hold_rows, "begin"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(),
                   "shift"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert(), "offset"_a.noconvert(),
                   "arrival"_a.noconvert(), "loss"_a, "parameter"_a);
}

}  // namespace softwood
