#include "runs.hpp"

#include <algorithm>
#include <limits>

namespace cleartitle {

namespace {

constexpr std::uint64_t base = 0x9E3779B97F4A7C15ULL;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::uint64_t spread(std::uint64_t value) {
    value = (value ^ (value >> 31)) * 0xBF58476D1CE4E5B9ULL;
    return value ^ (value >> 29);
}

}  // namespace

void window_hashes(const std::uint32_t *values, std::size_t length, std::size_t width,
                   std::vector<std::uint64_t> &hashes) {
    hashes.clear();
    if (length < width) {
        return;
    }
    hashes.reserve(length - width + 1);
    std::uint64_t power = 1;
    for (std::size_t i = 1; i < width; ++i) {
        power *= base;
    }
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < length; ++i) {
        if (i >= width) {
            hash -= spread(values[i - width] + 1ULL) * power;
        }
        hash = hash * base + spread(values[i] + 1ULL);
        if (i + 1 >= width) {
            hashes.push_back(spread(hash));
        }
    }
}

bool add_run(const std::uint32_t *left, std::size_t left_length, std::size_t i, const std::uint32_t *right,
             std::size_t right_length, std::size_t j, std::size_t shortest, std::uint64_t &steps,
             std::vector<Run> &runs) {
    if (steps == 0) {
        return false;
    }
    --steps;
    if (i > 0 && j > 0 && left[i - 1] == right[j - 1]) {
        return true;
    }
    const std::size_t limit = std::min(left_length - i, right_length - j);
    const auto end = std::mismatch(left + i, left + i + limit, right + j).first;
    const auto length = static_cast<std::size_t>(end - (left + i));
    if (length >= shortest) {
        runs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                        static_cast<std::uint32_t>(length)});
    }
    steps -= std::min<std::uint64_t>(steps, length);
    return true;
}

bool equal_runs(const std::uint32_t *left, std::size_t left_length, const std::uint32_t *right,
                std::size_t right_length, std::size_t shortest, std::uint64_t &steps, std::vector<Run> &runs) {
    thread_local std::vector<std::uint64_t> left_hashes, right_hashes;
    thread_local std::vector<std::uint32_t> heads, next;
    window_hashes(left, left_length, shortest, left_hashes);
    window_hashes(right, right_length, shortest, right_hashes);
    unsigned bits = 4;
    while ((std::size_t{1} << bits) < right_hashes.size()) {
        ++bits;
    }
    const unsigned shift = 64 - bits;
    heads.assign(std::size_t{1} << bits, none);
    next.resize(right_hashes.size());
    for (std::size_t j = right_hashes.size(); j-- > 0;) {
        std::uint32_t &head = heads[right_hashes[j] >> shift];
        next[j] = head;
        head = static_cast<std::uint32_t>(j);
    }
    for (std::size_t i = 0; i < left_hashes.size(); ++i) {
        for (std::uint32_t j = heads[left_hashes[i] >> shift]; j != none; j = next[j]) {
            if (steps == 0) {
                return false;
            }
            if (left_hashes[i] != right_hashes[j]) {
                --steps;
            } else if (!add_run(left, left_length, i, right, right_length, j, shortest, steps, runs)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace cleartitle
