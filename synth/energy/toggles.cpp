// SPDX-License-Identifier: Apache-2.0
// Counts the transitions of every net of a netlist. 64 copies run side by side, each with its own
// inputs and its own bit of a word. The first STREAMS of them count.
//
//   toggles NETS STIMULUS RESULT SETTLED|TIMED STREAMS
//
// toggles_files.h says what the files have.
//
// In a cycle flip-flops take their inputs' last values if their enable's last value is 1, inputs
// change, all nets settle, and samples are taken.
// SETTLED counts a net once a cycle if its value changes from one cycle to the next. TIMED lets
// changes travel with the gates' delays and counts every one. A pulse that is shorter than
// SHORTEST, at most DELAY, does not pass a gate. In TIMED every cycle that counts must settle to
// the values of SETTLED before the period ends; otherwise the program fails. In the others values
// change without delays.
#include <algorithm>
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
          ones_(circuit.nets), since_(circuit.nets), start_(circuit.nets), users_(circuit.nets),
          takers_(circuit.nets), pending_(circuit.nets), wheel_(kWheel),
          stamp_(circuit.gates.size(), ~0u), level_(circuit.gates.size()),
          is_due_(circuit.gates.size()), is_ready_(circuit.flops.size())
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
        expected_ = value_;
        find_levels();
    }

    // `fresh`: the inputs that have changed
    void cycle(const std::vector<Word> &inputs, const std::vector<uint64_t> &fresh, bool counted)
    {
        counted_ = counted;
        if (timed_) {
            moved_.clear();
            expect(inputs, fresh);
            counted ? travel(inputs, fresh) : jump();
        } else {
            step(inputs);
        }
        ended_ += counted;
    }

    // The nets of which the last cycle may have changed the value
    const std::vector<uint32_t> &moved() const
    {
        return moved_;
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
        for (uint32_t net = 0; net < c_.nets; net++) {
            count_ones(net, value_[net]);
        }
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

    // Of the cycles that have ended with this value of a net
    void count_ones(uint32_t net, Word value)
    {
        ones_[net] += (ended_ - since_[net]) * popcount(value);
        since_[net] = ended_;
    }

    // A gate has a higher level than those that drive it.
    void find_levels()
    {
        std::vector<uint32_t> of_net(c_.nets);
        for (uint32_t i = 0; i < c_.gates.size(); i++) {
            for (uint32_t net : c_.gates[i].in) {
                level_[i] = std::max(level_[i], of_net[net]);
            }
            of_net[c_.gates[i].out] = level_[i] + 1;
            due_.resize(std::max<size_t>(due_.size(), level_[i] + 1));
        }
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

    void schedule(uint32_t net, uint32_t tick, Word value)
    {
        pending_[net].push_back({tick, value});
        wheel_[tick % kWheel].push_back(net);
        events_++;
    }

    // What a gate does now leaves it `delay` later. A bit that returns to what it was `shortest`
    // ago forgets what it was in between: until then it has changed at most once.
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

    void step(const std::vector<Word> &inputs)
    {
        start_ = value_;
        moved_.clear();
        for (const Flop &flop : c_.flops) {
            value_[flop.q] = flop.next(start_);
        }
        for (size_t i = 0; i < c_.inputs.size(); i++) {
            value_[c_.inputs[i].net] = inputs[i];
        }
        for (const Gate &gate : c_.gates) {
            value_[gate.out] = evaluate(gate, value_);
        }
        for (uint32_t net = 0; net < c_.nets; net++) {
            const Word change = value_[net] ^ start_[net];
            if (change != 0) {
                moved_.push_back(net);
                count_ones(net, start_[net]);
                toggles_[net] += counted_ ? popcount(change) : 0;
            }
        }
    }

    void move(uint32_t net, Word value)
    {
        if (value == expected_[net]) {
            return;
        }
        expected_[net] = value;
        moved_.push_back(net);
        for (uint32_t gate : users_[net]) {
            if (!is_due_[gate]) {
                is_due_[gate] = true;
                due_[level_[gate]].push_back(gate);
            }
        }
    }

    // The values at the end of the cycle, and the nets that get new ones. Values are still
    // those of the cycle before.
    void expect(const std::vector<Word> &inputs, const std::vector<uint64_t> &fresh)
    {
        for (uint32_t i : ready_) {
            move(c_.flops[i].q, c_.flops[i].next(value_));
        }
        for (uint64_t i : fresh) {
            move(c_.inputs[i].net, inputs[i]);
        }
        for (std::vector<uint32_t> &level : due_) {
            for (uint32_t gate : level) {
                is_due_[gate] = false;
                move(c_.gates[gate].out, evaluate(c_.gates[gate], expected_));
            }
            level.clear();
        }
    }

    void change(uint32_t net, Word value)
    {
        count_ones(net, value_[net]);
        value_[net] = value;
        for (uint32_t flop : takers_[net]) {
            make_ready(flop);
        }
    }

    // A cycle without delays
    void jump()
    {
        forget_ready();
        for (uint32_t net : moved_) {
            change(net, expected_[net]);
        }
    }

    void forget_ready()
    {
        for (uint32_t i : ready_) {
            is_ready_[i] = false;
        }
        ready_.clear();
    }

    void travel(const std::vector<Word> &inputs, const std::vector<uint64_t> &fresh)
    {
        for (uint32_t i : ready_) {
            const Flop &flop = c_.flops[i];
            if (flop.next(value_) != value_[flop.q]) {
                schedule(flop.q, flop.delay, flop.next(value_));
            }
        }
        forget_ready();
        for (uint64_t i : fresh) {
            if (inputs[i] != value_[c_.inputs[i].net]) {
                schedule(c_.inputs[i].net, c_.inputs[i].delay, inputs[i]);
            }
        }
        for (uint32_t now = 0; events_ != 0; now++) {
            if (now > c_.period) {
                fail("something still changes when the period is over");
            }
            tick(now);
        }
        travelled_.insert(travelled_.end(), moved_.begin(), moved_.end());
        for (uint32_t net : travelled_) {
            if (value_[net] != expected_[net]) {
                fail("the delays change what a cycle ends with");
            }
        }
        travelled_.clear();
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
            toggles_[net] += popcount(value ^ value_[net]);
            travelled_.push_back(net);
            change(net, value);
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
    std::vector<uint64_t> since_; // of each net: the cycles whose ones are counted
    std::vector<Word> start_, expected_;
    std::vector<std::vector<uint32_t>> users_, takers_; // of each net: gates, flip-flops
    std::vector<std::vector<Change>> pending_;
    std::vector<std::vector<uint32_t>> wheel_;
    std::vector<uint32_t> stamp_, touched_, ready_;
    std::vector<uint32_t> moved_, travelled_; // nets that change in this cycle, and on the way
    std::vector<uint32_t> level_;
    std::vector<std::vector<uint32_t>> due_; // gates to evaluate, by level
    std::vector<bool> is_due_, is_ready_;
    uint32_t serial_ = 0;
    uint64_t events_ = 0, ended_ = 0; // cycles that count
    bool counted_ = false;
};

// Applies the changes of the stimulus cycle by cycle, and keeps those of the samples.
Changes run(Simulation &simulation, const Circuit &circuit, const Changes &stimulus)
{
    std::vector<Word> inputs(circuit.inputs.size());
    std::vector<uint64_t> fresh;
    Samples samples(circuit);
    Changes found;
    auto next = stimulus.pairs.begin();
    for (uint64_t count : stimulus.counts) {
        fresh.clear();
        for (uint64_t i = 0; i < (count & ~kCounted); i++, next += 2) {
            inputs[next[0]] = next[1];
            fresh.push_back(next[0]);
        }
        simulation.cycle(inputs, fresh, (count & kCounted) != 0);
        samples.take(simulation, simulation.moved(), found);
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
