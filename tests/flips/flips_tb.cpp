// SPDX-License-Identifier: Apache-2.0
// Flips a bit of a register or of a memory in a running accelerator, many times, and says what
// became of it. RTL without assertions.
//
//   flips_tb --registers LIST [--class control|data|memory] [--flips N] [--first N] [--seed N]
//            [--out FILE]
//
// A flip is drawn from (seed, its number) alone, so that ranges can run apart: a bit, uniform over
// the class's bits, one of the programs below, and a cycle, uniform over the program's. Each has a
// fresh accelerator. The program runs with the flip, then twice more without. Software does what a
// driver does: it waits for idle, and clears an error. A flip is one of:
//
//   masked   all bytes, flags and records are right
//   status   the program with the flip ended with an error; the next one is right
//   wrong    it ended without an error, and something is wrong; the next one is right
//   next     the next program had an error that it did not earn; the one behind it is right
//   poison   a later program is wrong without an error, or not one is right
//   hang     not idle in bounded time
//   outside  a byte was written that no command names (counted beside the others)
//
// FILE gets a line for each flip that is not masked.
#include <fstream>
#include <sstream>

#include "accel_row_tests.h"

#include "verilated_sym_props.h"
#include "verilated_syms.h"

namespace
{

using accel::Command;
using accel::kBeat;
using Host = accel::Host<Vfp8mac_accel, kBeat>;

constexpr uint32_t kWatchdog = 1000;

struct Program {
    const char *name;
    std::vector<Command> tiles;
    std::vector<uint32_t> rings;
    std::vector<uint8_t> before, after;
    std::vector<bool> ours; // bytes that a command names
    uint32_t flags = 0, amax = 0;
    uint64_t cycles = 0;
};

// ---- programs -----------------------------------------------------------------------------------

class Programs : public accel::RowTests
{
  public:
    using RowTests::RowTests;
    std::vector<Program> all;

    void make()
    {
        accel::Maker &m = maker_;
        const uint32_t rows = ROWS, cols = COLS;
        const auto gemms = [&] {
            Command t = m.tile_of(2 * rows, 2 * cols, 8 * kBeat);
            m.add_vectors(t);
            Command u = m.reusing(t);
            return std::vector<Command>{t, u};
        };
        add("gemms", gemms);
        add("divided", [&] { return std::vector<Command>{m.divided(), m.divided()}; });
        add("chain", [&] { return m.chain(3); });
        add("elementwise",
            [&] { return std::vector<Command>{m.elementwise(3 * rows, 4 * cols), m.thin()}; });
        if (accel::kFunctions.images) {
            add("convolution", [&] {
                return std::vector<Command>{m.small_convolution(rows + 2, 2 * cols + 1, 1),
                                            m.convolution()};
            });
        }
        if (accel::kFunctions.depthwise) {
            add("depthwise", [&] { return std::vector<Command>{m.depthwise(), m.depthwise()}; });
        }
        if (accel::kElement.mx) {
            add("mx", [&] {
                Command t = m.tile_of(2 * rows, 2 * cols, 8 * kBeat);
                m.add_scales(t);
                return std::vector<Command>{t, m.tile_of(rows, cols, kBeat)};
            });
        }
        if (has_rows()) {
            add("norm and softmax", [&] {
                return std::vector<Command>{m.row_command(17, 2 * cols + 1, accel::LayerNorm),
                                            m.row_command(5, cols + 1, accel::Softmax)};
            });
            add("blocks", [&] {
                return std::vector<Command>{
                    m.row_command(17, FP8MAC_MX_BLOCK + 3, accel::QuantiseMx),
                    m.row_command(3, cols + 1, accel::QuantiseMx)};
            });
        }
        add("list", gemms, true);
        if (accel::kFunctions.tables) {
            add("table", [&] {
                Command t = m.tile_of(2 * rows, 2 * cols, 2 * kBeat);
                t.d_fmt = FP8MAC_E4M3FN;
                t.extended = true, t.act_table = 1, t.load_table = true;
                t.table_addr = m.allocate(FP8MAC_TABLE_CODES);
                std::copy(accel::code_tables()[0].begin(), accel::code_tables()[0].end(),
                          &bytes()[t.table_addr - axi::kMemoryBase]);
                return std::vector<Command>{t, m.tile_of(rows, cols, kBeat)};
            });
        }
    }

  private:
    template <typename Make>
    void add(const char *name, Make make, bool listed = false)
    {
        begin();
        Program p;
        p.name = name;
        p.tiles = make();
        for (size_t i = 0; i < p.tiles.size(); i++) {
            p.tiles[i].tag = static_cast<uint16_t>(16 + i);
            p.tiles[i].irq = false;
            p.tiles[i].record = accel::kFunctions.records && i % 2 == 0;
        }
        if (listed) {
            p.rings.assign(p.tiles.size(), kListed);
            p.rings[0] = list(p.tiles, {})[0];
        } else {
            for (const Command &t : p.tiles) {
                p.rings.push_back(t.load_table || &t == &p.tiles[1] ? descriptor(t) : 0);
            }
        }
        p.before = p.after = bytes();
        accel::Golden golden(p.after, axi::kMemoryBase);
        for (const Command &t : p.tiles) {
            golden.run(t);
        }
        bench_.equal("commands that the model refuses", golden.refusals, 0);
        p.flags = golden.all.flags | uint32_t(golden.all.nonfinite) << 8;
        p.amax = golden.all.amax;
        p.ours.assign(p.after.size(), false);
        for (const Command &t : p.tiles) {
            name_rows(p, t.d_addr, t.pairs ? 2 * t.m + 2 * (t.conv[1] >> 16) : t.m, t.d_stride,
                      t.d_columns() * t.d_bytes());
            if (t.writes_scales()) {
                name_rows(p, t.mx_a_addr, t.m, t.mx_a_stride, (t.n + 31) / 32);
            }
        }
        all.push_back(p);
    }
    static void name_rows(Program &p, uint32_t addr, uint32_t rows, uint32_t stride, uint32_t bytes)
    {
        for (uint32_t r = 0; r < rows; r++) {
            for (uint32_t i = 0; i < bytes; i++) {
                p.ours.at(addr - axi::kMemoryBase + size_t(r) * stride + i) = true;
            }
        }
    }
};

// ---- registers ----------------------------------------------------------------------------------

struct Register {
    std::string scope, name;
    uint64_t bits, elements; // bits of an element
};

struct Registers {
    std::vector<Register> all;
    std::vector<uint64_t> ends; // bits up to and with each
    uint64_t bits() const
    {
        return ends.empty() ? 0 : ends.back();
    }
};

Registers read_list(tb::Bench &bench, const VerilatedContext &context, const char *path,
                    const std::string &wanted)
{
    Registers registers;
    std::ifstream in(path);
    std::string kind, scope, name;
    uint64_t missing = 0;
    while (in >> kind >> scope >> name) {
        const VerilatedScope *s = context.scopeFind(scope.c_str());
        const VerilatedVar *v = s == nullptr ? nullptr : s->varFind(name.c_str());
        if (v == nullptr) {
            if (kind == wanted) {
                std::printf("%s.%s is in the list alone: nothing reads it\n", scope.c_str(),
                            name.c_str());
                missing++;
            }
            continue;
        }
        if (kind == wanted) {
            const uint64_t bits = static_cast<uint64_t>(v->packed().elements());
            registers.all.push_back({scope, name, bits, v->totalSize() / v->entSize()});
            registers.ends.push_back(registers.bits() + bits * registers.all.back().elements);
        }
    }
    // Verilator leaves out a register that nothing reads without assertions.
    bench.check("the simulation has nearly all registers of the list",
                missing * 50 <= registers.all.size());
    return registers;
}

struct Flip {
    const Register *target;
    uint64_t element, bit;
    size_t program;
    uint64_t cycle;
};

Flip draw(const Registers &registers, const std::vector<Program> &programs, uint64_t seed,
          uint64_t number)
{
    tb::Rng rng(seed * 0x9e3779b97f4a7c15u + number);
    const uint64_t at = rng.next() % registers.bits();
    size_t i =
        static_cast<size_t>(std::upper_bound(registers.ends.begin(), registers.ends.end(), at) -
                            registers.ends.begin());
    const uint64_t within = at - (i == 0 ? 0 : registers.ends[i - 1]);
    const Register &r = registers.all[i];
    const size_t program = rng.below(static_cast<uint32_t>(programs.size()));
    return Flip{&r, within / r.bits, within % r.bits, program,
                rng.next() % programs[program].cycles};
}

void apply(const VerilatedContext &context, const Flip &flip)
{
    const VerilatedVar *v =
        context.scopeFind(flip.target->scope.c_str())->varFind(flip.target->name.c_str());
    // Elements of at most 64 bits have 1, 2, 4 or 8 bytes, wider ones words of 4 bytes. All are
    // stored with their lowest byte first.
    uint8_t *element = static_cast<uint8_t *>(v->datap()) + flip.element * v->entSize();
    element[flip.bit / 8] ^= static_cast<uint8_t>(1u << flip.bit % 8);
}

// ---- one flip -----------------------------------------------------------------------------------

enum Kind { Masked, Status, Wrong, Next, Poison, HangKind, kKinds };
const char *const kKindNames[] = {"masked", "status", "wrong", "next", "poison", "hang"};

struct Result {
    bool idle = false;
    uint32_t error = 0;
    bool right = false;
    size_t wrong_bytes = 0, outside = 0;
};

class Trial
{
  public:
    Trial(tb::Bench &bench, const Program &program)
        : rng_(1), dut_(one_thread(context_)), host_(bench, dut_, rng_, accel::kMemoryBytes),
          program_(program)
    {
        axi::Timing timing;
        timing.random_latency = false;
        host_.memory.set_timing(timing);
        host_.throws_hang = true;
        host_.patience_cycles = 3 * program.cycles + 4 * kWatchdog + 2000;
        host_.load_tables(0, 128);
        host_.write(REG(WATCHDOG), kWatchdog);
    }

    // Runs the program. The flip comes in its cycle; none if it is null.
    Result run(const Flip *flip)
    {
        Result result;
        try {
            host_.memory.bytes() = program_.before;
            host_.clear(accel::kClearFlags);
            for (const Command &t : program_.tiles) {
                host_.write(REG(RECORD_RELEASE), t.tag);
            }
            const uint64_t start = host_.cycles();
            const uint32_t completed = host_.read(REG(COMPLETED));
            if (flip != nullptr) {
                host_.before_tick = [this, flip, start] {
                    if (host_.cycles() == start + flip->cycle) {
                        apply(context_, *flip);
                    }
                };
            }
            for (size_t i = 0; i < program_.tiles.size(); i++) {
                host_.wait_for_room();
                if (program_.rings[i] == 0) {
                    host_.submit(program_.tiles[i]);
                } else if (program_.rings[i] > 1) {
                    host_.ring(program_.rings[i]);
                }
            }
            const uint32_t status = host_.wait_idle();
            cycles = host_.cycles() - start;
            while (flip != nullptr && host_.cycles() <= start + flip->cycle) {
                host_.tick();
            }
            host_.before_tick = nullptr;
            result.idle = true;
            result.error =
                FIELD_OF(status, STATUS, ERROR) ? FIELD_OF(status, STATUS, ERROR_CODE) : 0;
            result.right = result.error == 0 && host_.memory.bytes() == program_.after &&
                           host_.read(REG(FLAGS)) == program_.flags &&
                           host_.read(REG(AMAX)) == program_.amax &&
                           host_.read(REG(COMPLETED)) - completed == program_.tiles.size();
            if (result.error != 0) {
                host_.clear(accel::kClearError);
            }
        } catch (const Host::Hang &) {
        }
        host_.before_tick = nullptr;
        count_bytes(result);
        return result;
    }
    void soft_reset()
    {
        try {
            host_.clear(accel::kSoftReset);
            host_.wait_idle();
        } catch (const Host::Hang &) {
        }
    }
    VerilatedContext &context()
    {
        return context_;
    }
    uint64_t cycles = 0;

  private:
    static VerilatedContext &one_thread(VerilatedContext &context)
    {
        context.threads(1);
        return context;
    }
    void count_bytes(Result &result)
    {
        const std::vector<uint8_t> &bytes = host_.memory.bytes();
        if (std::memcmp(bytes.data(), program_.after.data(), bytes.size()) == 0) {
            return;
        }
        for (size_t i = 0; i < bytes.size(); i++) {
            result.wrong_bytes += bytes[i] != program_.after[i];
            result.outside += bytes[i] != program_.after[i] && !program_.ours[i];
        }
    }

    VerilatedContext context_;
    tb::Rng rng_;
    tb::Clocked<Vfp8mac_accel> dut_;
    Host host_;
    const Program &program_;
};

Kind classify(const Result &flipped, const Result &next, const Result &third)
{
    if (!flipped.idle || !next.idle || !third.idle) {
        return HangKind;
    }
    if (!third.right || (!next.right && next.error == 0)) {
        return Poison;
    }
    if (!next.right) {
        return Next;
    }
    return flipped.right ? Masked : flipped.error != 0 ? Status : Wrong;
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    const char *const path = bench.option("--registers");
    const std::string kind = bench.option("--class") ? bench.option("--class") : "control";
    const unsigned flips = bench.number("--flips", 100), first = bench.number("--first", 0);
    const char *const out = bench.option("--out");
    if (path == nullptr) {
        std::fprintf(stderr,
                     "flips_tb: --registers LIST is missing. tests/flips/registers.py makes it.\n");
        return 2;
    }
    tb::Clocked<Vfp8mac_accel> dut(bench);
    Programs programs(bench, dut);
    programs.make();
    const Registers registers = read_list(bench, *bench.context(), path, kind);
    std::printf("%12" PRIu64 "  bits of class %s in %zu registers\n", registers.bits(),
                kind.c_str(), registers.all.size());
    for (Program &p : programs.all) {
        Trial trial(bench, p);
        p.cycles = 100000; // until it is known
        const Result clean = trial.run(nullptr);
        bench.equal("right without a flip", clean.right, true, [&] {
            return tb::text("%s: error %u, %zu wrong bytes", p.name, clean.error,
                            clean.wrong_bytes);
        });
        p.cycles = trial.cycles;
        bench.check(tb::text("%s: right a second time", p.name).c_str(), trial.run(nullptr).right);
        std::printf("%12" PRIu64 "  cycles of the program: %s\n", p.cycles, p.name);
    }
    std::ofstream lines;
    if (out != nullptr) {
        lines.open(out);
    }
    uint64_t counts[kKinds] = {}, outside = 0, healed = 0;
    for (unsigned number = first; number < first + flips && bench.failed() == 0; number++) {
        const Flip flip = draw(registers, programs.all, bench.seed(), number);
        const Program &program = programs.all[flip.program];
        Trial trial(bench, program);
        const Result flipped = trial.run(&flip);
        const Result next = flipped.idle ? trial.run(nullptr) : Result{};
        const Result third = next.idle ? trial.run(nullptr) : Result{};
        const Kind result = classify(flipped, next, third);
        counts[result]++;
        const size_t out_bytes = flipped.outside + next.outside + third.outside;
        outside += out_bytes != 0;
        bool heals = false;
        if (result == HangKind || result == Poison) {
            trial.soft_reset();
            heals = trial.run(nullptr).right;
            healed += heals;
        }
        if (result != Masked) {
            lines << number << ' ' << kKindNames[result] << ' ' << flip.target->scope << '.'
                  << flip.target->name << ' ' << flip.element << ' ' << flip.bit << ' '
                  << program.name << ' ' << flip.cycle << " error " << flipped.error << ' '
                  << next.error << " wrong " << flipped.wrong_bytes << " outside " << out_bytes
                  << (heals ? " healed" : "") << std::endl;
        }
    }
    for (unsigned k = 0; k < kKinds; k++) {
        std::printf("%12" PRIu64 "  %s\n", counts[k], kKindNames[k]);
    }
    std::printf("%12" PRIu64 "  outside\n%12" PRIu64 "  healed by a soft reset\n", outside, healed);
    const int status = bench.finish();
    std::fflush(stdout);
    lines.close();
    // The destructor of a model waits for ever for a lock of its scopes in Verilator 5.006.
    std::_Exit(status);
}
