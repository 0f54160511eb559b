// SPDX-License-Identifier: Apache-2.0
// Counts the transitions of every net of a netlist. 64 copies run side by side, each with its own inputs and its own bit
// of a word. The first STREAMS of them count.
//
//   toggles NETS STIMULUS RESULT SETTLED|TIMED STREAMS
//
// toggles_files.h says what the files have.
//
// In a cycle flip-flops take their inputs' last values if their enable's last value is 1, inputs change, all nets settle,
// and samples are taken.
// SETTLED counts a net once a cycle if its value changes from one cycle to the next. TIMED lets changes travel with the
// gates' delays and counts every one. A pulse that is shorter than SHORTEST, at most DELAY, does not pass a gate. In TIMED every cycle must settle to the values of SETTLED before the period ends;
// otherwise the program fails.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "toggles_files.h"

namespace
{

class Simulation
{
  public:
    Simulation(const Circuit &circuit, bool timed, Word used)
        : c_(circuit), timed_(timed), used_(used), value_(circuit.nets), toggles_(circuit.nets),
          ones_(circuit.nets), start_(circuit.nets), users_(circuit.nets), takers_(circuit.nets),
          pending_(circuit.nets), wheel_(kWheel), stamp_(circuit.gates.size(), ~0u),
          is_ready_(circuit.flops.size())
    {
        value_[1] = ~Word{0};
        for (uint32_t i = 0; i < c_.flops.size(); i++) {
            const Flop &flop = c_.flops[i];
            value_[flop.q] = flop.inverted ? ~Word{0} : 0;
            takers_[flop.d].push_back(i);
            takers_[flop.enable].push_back(i);
            make_ready(i);
        }
        for (uint32_t i = 0; i < c_.gates.size(); i++) {
            const Gate &gate = c_.gates[i];
            if (gate.delay == 0 || gate.delay >= kWheel || gate.shortest > gate.delay) {
                fail("a delay is out of range");
            }
            for (uint32_t net : gate.in) {
                users_[net].push_back(i);
            }
        }
        for (const Gate &gate : c_.gates) {
            value_[gate.out] = evaluate(gate, value_);
        }
    }

    void cycle(const std::vector<Word> &inputs, bool counted)
    {
        counted_ = counted;
        const bool changed = timed_ ? travel(inputs) : step(inputs);
        if (changed) {
            count_ones(start_);
        }
        for (uint32_t net = 0; !timed_ && counted && net < c_.nets; net++) {
            toggles_[net] += popcount(value_[net] ^ start_[net]);
        }
        same_ += counted;
    }

    Word value(uint32_t net) const
    {
        return value_[net] & used_;
    }
    const std::vector<uint64_t> &toggles() const
    {
        return toggles_;
    }
    const std::vector<uint64_t> &ones()
    {
        count_ones(value_);
        return ones_;
    }

  private:
    static constexpr uint32_t kWheel = 1 << 15;

    struct Change {
        uint32_t tick;
        Word value;
    };

    uint64_t popcount(Word word) const
    {
        return static_cast<uint64_t>(__builtin_popcountll(word & used_));
    }

    // Of the cycles that have ended with these values
    void count_ones(const std::vector<Word> &value)
    {
        for (uint32_t net = 0; same_ != 0 && net < c_.nets; net++) {
            ones_[net] += same_ * popcount(value[net]);
        }
        same_ = 0;
    }

    static Word evaluate(const Gate &gate, const std::vector<Word> &value)
    {
        Word leaf[size_t{1} << kInputs];
        size_t n = size_t{1} << gate.in.size();
        for (size_t i = 0; i < n; i++) {
            leaf[i] = gate.truth[i] == '1' ? ~Word{0} : 0;
        }
        for (uint32_t net : gate.in) {
            const Word select = value[net];
            n /= 2;
            for (size_t i = 0; i < n; i++) {
                leaf[i] = (leaf[2 * i + 1] & select) | (leaf[2 * i] & ~select);
            }
        }
        return leaf[0];
    }

    void settle(const std::vector<Word> &inputs, std::vector<Word> &value) const
    {
        for (const Flop &flop : c_.flops) {
            value[flop.q] = flop.next(start_);
        }
        for (size_t i = 0; i < c_.inputs.size(); i++) {
            value[c_.inputs[i].net] = inputs[i];
        }
        for (const Gate &gate : c_.gates) {
            value[gate.out] = evaluate(gate, value);
        }
    }

    void schedule(uint32_t net, uint32_t tick, Word value)
    {
        pending_[net].push_back({tick, value});
        wheel_[tick % kWheel].push_back(net);
        events_++;
    }

    // What a gate does now leaves it `delay` later. A bit that returns to what it was `shortest` ago forgets what it
    // was in between: until then it has changed at most once.
    void update(const Gate &gate, uint32_t now)
    {
        const Word to_be = evaluate(gate, value_);
        Word before = value_[gate.out], last = before;
        for (Change &c : pending_[gate.out]) {
            if (c.tick + gate.shortest <= now + gate.delay) {
                before = c.value;
            } else {
                c.value = (c.value & (before ^ to_be)) | (before & ~(before ^ to_be));
            }
            last = c.value;
        }
        if (last != to_be) {
            schedule(gate.out, now + gate.delay, to_be);
        }
    }

    // These two return whether something changes. start_ is what was before.
    bool step(const std::vector<Word> &inputs)
    {
        start_ = value_;
        settle(inputs, value_);
        return true;
    }

    bool travel(const std::vector<Word> &inputs)
    {
        for (uint32_t i : ready_) {
            const Flop &flop = c_.flops[i];
            is_ready_[i] = false;
            if (flop.next(value_) != value_[flop.q]) {
                schedule(flop.q, flop.delay, flop.next(value_));
            }
        }
        ready_.clear();
        for (size_t i = 0; i < c_.inputs.size(); i++) {
            if (inputs[i] != value_[c_.inputs[i].net]) {
                schedule(c_.inputs[i].net, c_.inputs[i].delay, inputs[i]);
            }
        }
        if (events_ == 0) {
            return false;
        }
        start_ = value_;
        for (uint32_t now = 0; events_ != 0; now++) {
            if (now > c_.period) {
                fail("something still changes when the period is over");
            }
            tick(now);
        }
        expected_ = start_;
        settle(inputs, expected_);
        if (expected_ != value_) {
            fail("the delays change what a cycle ends with");
        }
        return true;
    }

    // A flip-flop whose data or enable has changed
    void make_ready(uint32_t flop)
    {
        if (!is_ready_[flop]) {
            is_ready_[flop] = true;
            ready_.push_back(flop);
        }
    }

    void tick(uint32_t now)
    {
        std::vector<uint32_t> &due = wheel_[now % kWheel];
        touched_.clear();
        for (uint32_t net : due) {
            std::vector<Change> &changes = pending_[net];
            const Word value = changes.front().value;
            if (changes.front().tick != now) {
                fail("changes of a net are out of order");
            }
            changes.erase(changes.begin());
            events_--;
            if (value == value_[net]) {
                continue;
            }
            toggles_[net] += counted_ ? popcount(value ^ value_[net]) : 0;
            value_[net] = value;
            for (uint32_t flop : takers_[net]) {
                make_ready(flop);
            }
            for (uint32_t gate : users_[net]) {
                if (stamp_[gate] == serial_) {
                    continue;
                }
                stamp_[gate] = serial_;
                touched_.push_back(gate);
            }
        }
        due.clear();
        serial_++;
        for (uint32_t gate : touched_) {
            update(c_.gates[gate], now);
        }
    }

    const Circuit &c_;
    const bool timed_;
    const Word used_; // streams that count
    std::vector<Word> value_;
    std::vector<uint64_t> toggles_, ones_;
    std::vector<Word> start_, expected_;
    std::vector<std::vector<uint32_t>> users_, takers_; // of each net: gates, flip-flops
    std::vector<std::vector<Change>> pending_;
    std::vector<std::vector<uint32_t>> wheel_;
    std::vector<uint32_t> stamp_, touched_, ready_;
    std::vector<bool> is_ready_;
    uint32_t serial_ = 0;
    uint64_t events_ = 0, same_ = 0;
    bool counted_ = false;
};

// Applies the changes of the stimulus cycle by cycle, and keeps those of the samples.
Changes run(Simulation &simulation, const Circuit &circuit, const Changes &stimulus)
{
    std::vector<Word> inputs(circuit.inputs.size()), samples(circuit.samples.size());
    Changes found;
    auto next = stimulus.pairs.begin();
    for (uint64_t count : stimulus.counts) {
        for (uint64_t i = 0; i < (count & ~kCounted); i++, next += 2) {
            inputs[next[0]] = next[1];
        }
        simulation.cycle(inputs, (count & kCounted) != 0);
        const size_t before = found.pairs.size();
        for (size_t i = 0; i < samples.size(); i++) {
            const Word value = simulation.value(circuit.samples[i]);
            if (value != samples[i]) {
                samples[i] = value;
                found.pairs.insert(found.pairs.end(), {i, value});
            }
        }
        found.counts.push_back((found.pairs.size() - before) / 2);
    }
    return found;
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned long streams = argc == 6 ? std::strtoul(argv[5], nullptr, 10) : 0;
    if (streams < 1 || streams > 64) {
        fail("five arguments: NETS STIMULUS RESULT SETTLED|TIMED STREAMS");
    }
    const bool timed = std::strcmp(argv[4], "TIMED") == 0;
    if (!timed && std::strcmp(argv[4], "SETTLED") != 0) {
        fail("SETTLED or TIMED");
    }
    const Circuit circuit = read_circuit(argv[1]);
    Simulation simulation(circuit, timed, ~Word{0} >> (64 - streams));
    const Changes stimulus = read_stimulus(argv[2], circuit.inputs.size());
    const Changes samples = run(simulation, circuit, stimulus);
    std::ofstream result(argv[3], std::ios::binary);
    write(result, simulation.toggles());
    write(result, simulation.ones());
    write(result, samples.counts);
    write(result, samples.pairs);
    return result.flush() ? 0 : (std::perror(argv[3]), 1);
}
