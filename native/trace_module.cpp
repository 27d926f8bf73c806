// Python bindings of the kernels of the trace index: see module.cpp for the rules.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "trace.hpp"

namespace nb = nanobind;

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Changed = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Result = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Tokens = Array<std::uint32_t>;
using Words = Array<std::uint64_t>;

namespace {

template <typename T>
Result<T> moved(std::vector<T> &&values) {
    auto *held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return {held->data(), {held->size()}, owner};
}

nb::tuple trace_words(const nb::bytes &text) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("a text may have at most 2^32 - 2 bytes");
    }
    const auto *data = static_cast<const std::uint8_t *>(text.data());
    const std::size_t size = text.size();
    cleartitle::Words found;
    {
        nb::gil_scoped_release release;
        cleartitle::words(data, size, found);
    }
    return nb::make_tuple(moved(std::move(found.starts)), moved(std::move(found.ends)), moved(std::move(found.exact)),
                          moved(std::move(found.blind)));
}

void check_gram(std::size_t k) {
    if (k == 0 || k > 4096) {
        throw std::invalid_argument("a gram or window has 1 to 4096 words");
    }
}

Result<std::uint64_t> trace_grams(const Words &symbols, std::size_t k) {
    check_gram(k);
    std::vector<std::uint64_t> found;
    {
        nb::gil_scoped_release release;
        cleartitle::grams(symbols.data(), symbols.size(), k, found);
    }
    return moved(std::move(found));
}

Result<std::uint64_t> trace_renamed_grams(const Words &exact, const Words &blind, std::size_t k) {
    check_gram(k);
    if (exact.size() != blind.size()) {
        throw std::invalid_argument("exact and blind must have the same length");
    }
    std::vector<std::uint64_t> found;
    {
        nb::gil_scoped_release release;
        cleartitle::renamed_grams(exact.data(), blind.data(), exact.size(), k, found);
    }
    return moved(std::move(found));
}

Result<std::uint32_t> trace_winnow(const Words &grams, std::size_t w) {
    check_gram(w);
    if (grams.size() >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("at most 2^32 - 2 grams");
    }
    std::vector<std::uint32_t> found;
    {
        nb::gil_scoped_release release;
        cleartitle::winnow(grams.data(), grams.size(), w, found);
    }
    return moved(std::move(found));
}

void sort_pairs(Changed<std::uint64_t> keys, Changed<std::uint32_t> values) {
    if (keys.size() != values.size()) {
        throw std::invalid_argument("keys and values must have the same length");
    }
    nb::gil_scoped_release release;
    cleartitle::sort_pairs(keys.data(), values.data(), keys.size());
}

void filter_add(Changed<std::uint64_t> filter, const Words &keys) {
    if (filter.size() == 0 || filter.size() % 8 != 0) {
        throw std::invalid_argument("a filter has a multiple of 8 words");
    }
    nb::gil_scoped_release release;
    cleartitle::filter_add(filter.data(), filter.size() / 8, keys.data(), keys.size());
}

nb::tuple select_postings(const Words &keys, const Tokens &words, const Words &starts, std::uint64_t mask,
                          std::size_t cap, std::size_t per_document, Changed<std::uint64_t> filter) {
    if (keys.size() != words.size()) {
        throw std::invalid_argument("keys and words must have the same length");
    }
    if (filter.size() == 0 || filter.size() % 8 != 0) {
        throw std::invalid_argument("a filter has a multiple of 8 words");
    }
    cleartitle::Selected found;
    {
        nb::gil_scoped_release release;
        cleartitle::select_postings(keys.data(), words.data(), keys.size(), starts.data(), starts.size(), mask, cap,
                                    per_document, filter.data(), filter.size() / 8, found);
    }
    return nb::make_tuple(moved(std::move(found.keys)), moved(std::move(found.words)), moved(std::move(found.common)),
                          moved(std::move(found.documents)));
}

nb::tuple look_up(const Words &keys, const Words &filter, const Words &table, std::size_t bits, const Tokens &rests) {
    if (bits > 32 || table.size() != (std::size_t{1} << bits) + 1) {
        throw std::invalid_argument("a table of b bits has 2^b + 1 entries");
    }
    if (filter.size() % 8 != 0) {
        throw std::invalid_argument("a filter has a multiple of 8 words");
    }
    std::vector<std::uint64_t> starts(keys.size());
    std::vector<std::uint32_t> lengths(keys.size());
    {
        nb::gil_scoped_release release;
        cleartitle::look_up(keys.data(), keys.size(), filter.data(), filter.size() / 8, table.data(), bits,
                            rests.data(), rests.size(), starts.data(), lengths.data());
    }
    return nb::make_tuple(moved(std::move(starts)), moved(std::move(lengths)));
}

nb::tuple extend(const Words &left, const Words &right, const Tokens &left_seeds, const Tokens &right_seeds) {
    constexpr std::size_t limit = std::numeric_limits<std::uint32_t>::max();
    if (left.size() >= limit || right.size() >= limit) {
        throw std::invalid_argument("a sequence may have at most 2^32 - 2 words");
    }
    if (left_seeds.size() != right_seeds.size()) {
        throw std::invalid_argument("both sides need the same number of seeds");
    }
    std::vector<std::uint32_t> lefts, rights, lengths;
    {
        nb::gil_scoped_release release;
        std::vector<cleartitle::Run> runs;
        cleartitle::extend(left.data(), left.size(), right.data(), right.size(), left_seeds.data(),
                           right_seeds.data(), left_seeds.size(), runs);
        for (const cleartitle::Run &run : runs) {
            lefts.push_back(run.left);
            rights.push_back(run.right);
            lengths.push_back(run.length);
        }
    }
    return nb::make_tuple(moved(std::move(lefts)), moved(std::move(rights)), moved(std::move(lengths)));
}

}  // namespace

void bind_trace(nb::module_ &module) {
    module.def("trace_words", &trace_words, nb::arg("text"),
               "Word stream of a text: starts and ends in bytes (uint32), exact and blind symbols (uint64).");
    module.def("trace_grams", &trace_grams, nb::arg("symbols").noconvert(), nb::arg("k"),
               "Hash (uint64) of each run of k symbols.");
    module.def("trace_renamed_grams", &trace_renamed_grams, nb::arg("exact").noconvert(),
               nb::arg("blind").noconvert(), nb::arg("k"),
               "Hash (uint64) of each run of k words that is the same under any consistent renaming.");
    module.def("trace_winnow", &trace_winnow, nb::arg("grams").noconvert(), nb::arg("w"),
               "Positions (uint32) of the grams that winnowing with a window of w grams keeps.");
    module.def("sort_pairs", &sort_pairs, nb::arg("keys").noconvert(), nb::arg("values").noconvert(),
               "Sort keys (uint64) in place, and values (uint32) with them; stable.");
    module.def("filter_add", &filter_add, nb::arg("filter").noconvert(), nb::arg("keys").noconvert(),
               "Add keys (uint64) to a blocked Bloom filter (uint64, a multiple of 8 words) in place.");
    module.def("select_postings", &select_postings, nb::arg("keys").noconvert(), nb::arg("words").noconvert(),
               nb::arg("starts").noconvert(), nb::arg("mask"), nb::arg("cap"), nb::arg("per_document"),
               nb::arg("filter").noconvert(),
               "Postings that an index keeps: keys (uint64), words (uint32), common keys, documents that hold them.");
    module.def("look_up", &look_up, nb::arg("keys").noconvert(), nb::arg("filter").noconvert(),
               nb::arg("table").noconvert(), nb::arg("bits"), nb::arg("rests").noconvert(),
               "Range of postings of each key: starts (uint64) and lengths (uint32).");
    module.def("extend", &extend, nb::arg("left").noconvert(), nb::arg("right").noconvert(),
               nb::arg("left_seeds").noconvert(), nb::arg("right_seeds").noconvert(),
               "Maximal runs of equal symbols through the seeds: left and right starts and lengths (uint32).");
}
