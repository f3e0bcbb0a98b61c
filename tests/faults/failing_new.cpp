// C++'s `operator new`, which can be told to fail once: loaded before the others (LD_PRELOAD) it stands in for theirs.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> left{-1}, count{0};

void* take(std::size_t size, std::size_t alignment = 0) {
  ++count;
  if (left.load() >= 0 && left.fetch_sub(1) == 0) throw std::bad_alloc();
  const std::size_t wanted = alignment ? (size + alignment - 1) / alignment * alignment : size;
  void* memory = alignment ? std::aligned_alloc(alignment, wanted) : std::malloc(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// The allocation after so many others fails; below 0 none does.
extern "C" void fail_new_after(long others) { left = others; }

// Allocations since it was asked the last time.
extern "C" long count_news() { return count.exchange(0); }

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void* operator new(std::size_t size, std::align_val_t by) { return take(size, static_cast<std::size_t>(by)); }
void* operator new[](std::size_t size, std::align_val_t by) { return take(size, static_cast<std::size_t>(by)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
