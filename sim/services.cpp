// SPDX-License-Identifier: Apache-2.0
// The functions that modules of rtl/system import: what the simulated chip asks of the simulator.
#include "fp8mac/cycles.h"
#include "list_names.h"
#include "simulator.h"

extern "C" {

// The functions that rtl/system/fp8mac_sys_ctrl.sv imports.
void fp8sim_exit(unsigned int status)
{
    Simulator::running->on_exit(status);
}
void fp8sim_putc(unsigned char character)
{
    Simulator::running->on_putc(character);
}
void fp8sim_location(unsigned int address)
{
    Simulator::running->on_location(address);
}
unsigned int fp8sim_check(unsigned int record)
{
    return Simulator::running->on_check(record);
}
unsigned int fp8sim_args()
{
    return Simulator::running->argument_address();
}

// The functions that rtl/system/fp8mac_sys_accel.sv and fp8mac_sys_stall.sv import.
unsigned int fp8sim_stall_permille()
{
    return Simulator::running->options().stall_permille;
}
unsigned long long fp8sim_stall_seed()
{
    return fp8mac_cycles_stall_state(Simulator::running->options().seed, 0);
}
unsigned char fp8sim_axi_latency()
{
    return static_cast<unsigned char>(Simulator::running->options().latency);
}

// The function that rtl/system/fp8mac_sys_usage.sv imports.
void fp8sim_usage(unsigned int macs_per_cycle, unsigned long long macs,
                  unsigned long long busy_cycles)
{
    Simulator::running->on_usage(macs_per_cycle, macs, busy_cycles);
}

// The functions that rtl/system/fp8mac_sys_bus_trace.sv imports.
unsigned char fp8sim_bus_wanted()
{
    return Simulator::running->bus_trace().wanted();
}
void fp8sim_bus_transfer(unsigned int channel, unsigned int address, unsigned int bytes,
                         unsigned int beat, unsigned int strobes)
{
    Simulator::running->bus_trace().transfer(channel, address, bytes, beat, strobes,
                                             Simulator::running->cycles());
}

// The functions that rtl/system/fp8mac_sys_timeline.sv imports.
unsigned char fp8sim_timeline_wanted()
{
    return Simulator::running->timeline().wanted();
}
void fp8sim_timeline_begin(unsigned int track, unsigned int tag)
{
    Simulator::running->timeline().begin(track, tag, Simulator::running->cycles());
}
void fp8sim_timeline_end(unsigned int track)
{
    Simulator::running->timeline().end(track, Simulator::running->cycles());
}
void fp8sim_timeline_retire(unsigned int tag)
{
    Simulator::running->timeline().retire(tag, Simulator::running->cycles());
}
void fp8sim_timeline_list(unsigned int address)
{
    Simulator::running->timeline().list(address, names_of_list(Simulator::running->ram(), address));
}
void fp8sim_timeline_rates(unsigned int steps, unsigned int reads, unsigned int writes,
                           unsigned int ago)
{
    Simulator::running->timeline().rates(steps, reads, writes, Simulator::running->cycles() - ago);
}
}
