// SPDX-License-Identifier: Apache-2.0
#include "gdb.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "disassemble.h"

namespace
{

constexpr int wait_milliseconds = 200;        // between two questions whether all is cancelled
constexpr unsigned interrupt_interval = 1024; // cycles between two looks for an interrupt
constexpr char interrupt_character = 3;
constexpr unsigned pc_number = 32;    // of the protocol, behind x0..x31
constexpr uint32_t most_bytes = 4096; // of memory in a packet
// Signals by which the protocol says why a program has stopped
constexpr const char *trapped = "S05", *interrupted = "S02";
constexpr const char *impossible = "E01", *not_memory = "E14";

std::string digits(uint32_t value, unsigned bytes)
{
    std::string text;
    for (; bytes > 0; bytes--, value >>= 8) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", value & 0xff);
        text += two;
    }
    return text;
}

// Two numbers "ADDRESS,LENGTH" in hexadecimal. False if there are not two.
bool numbers(const std::string &text, uint32_t &first, uint32_t &second)
{
    return std::sscanf(text.c_str(), "%" SCNx32 ",%" SCNx32, &first, &second) == 2;
}

// What the debugger must know of the core: 32-bit registers, no floating point
std::string target_description()
{
    std::string text = "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
                       "<target><architecture>riscv:rv32</architecture>"
                       "<feature name=\"org.gnu.gdb.riscv.cpu\">";
    for (unsigned i = 0; i < pc_number; i++) {
        text += std::string("<reg name=\"") + register_name(i) + "\" bitsize=\"32\"/>";
    }
    return text + "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\"/></feature></target>";
}

// Waits until there is something to read. False: cancelled.
bool readable(int file, bool (*cancelled)())
{
    pollfd state = {file, POLLIN, 0};
    while (!cancelled()) {
        if (poll(&state, 1, wait_milliseconds) > 0) {
            return true;
        }
    }
    return false;
}

int listen_at(int port)
{
    const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    socklen_t size = sizeof address;
    if (listener < 0 || bind(listener, reinterpret_cast<sockaddr *>(&address), size) != 0 ||
        listen(listener, 1) != 0 ||
        getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size) != 0) {
        close(listener);
        throw std::runtime_error("port " + std::to_string(port) + " cannot be used for gdb");
    }
    std::fprintf(stderr, "fp8mac-sim: waiting for gdb: target remote localhost:%u\n",
                 static_cast<unsigned>(ntohs(address.sin_port)));
    return listener;
}

} // namespace

Gdb::Gdb(const CoreWatch &watch, const Ram &ram, bool (*cancelled)())
    : watch_(watch), ram_(ram), cancelled_(cancelled)
{
}

void Gdb::connect(int port)
{
    const int listener = listen_at(port), on = 1;
    if (readable(listener, cancelled_)) {
        connection_ = accept(listener, nullptr, nullptr);
    }
    close(listener);
    if (connection_ < 0) {
        throw std::runtime_error("no gdb has connected");
    }
    setsockopt(connection_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Gdb::~Gdb()
{
    if (connection_ >= 0) {
        close(connection_);
    }
}

// ---- packets: $text#checksum, answered by + ---------------------------------------------------

bool Gdb::receive(char &character)
{
    return readable(connection_, cancelled_) && recv(connection_, &character, 1, 0) == 1;
}

// The text of the next packet. TCP has no wrong bits, so checksums are not compared.
bool Gdb::packet(std::string &text)
{
    char character = 0;
    while (character != '$') {
        if (!receive(character)) {
            return false;
        }
    }
    text.clear();
    while (receive(character) && character != '#') {
        text.push_back(character);
    }
    char checksum;
    return receive(checksum) && receive(checksum) && ::send(connection_, "+", 1, MSG_NOSIGNAL) == 1;
}

// A connection that is lost shows when the next packet is received.
void Gdb::send(const std::string &text)
{
    unsigned sum = 0;
    for (const char character : text) {
        sum += static_cast<uint8_t>(character);
    }
    const std::string all = "$" + text + "#" + digits(sum & 0xff, 1);
    for (size_t sent = 0; sent < all.size();) {
        const ssize_t n = ::send(connection_, all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) {
            return;
        }
        sent += static_cast<size_t>(n);
    }
}

// ---- commands -----------------------------------------------------------------------------------

std::string Gdb::registers() const
{
    std::string text;
    for (const uint32_t value : watch_.registers()) {
        text += digits(value, 4);
    }
    return text + digits(watch_.pc(), 4);
}

std::string Gdb::read_memory(const std::string &where) const
{
    uint32_t address, length;
    if (!numbers(where, address, length)) {
        return impossible;
    }
    length = std::min(length, most_bytes);
    const uint8_t *bytes = ram_.at(address, length);
    std::string text;
    for (uint32_t i = 0; bytes != nullptr && i < length; i++) {
        text += digits(bytes[i], 1);
    }
    return bytes == nullptr ? not_memory : text;
}

std::string Gdb::write_memory(const std::string &where) const
{
    const size_t colon = where.find(':');
    uint32_t address, length;
    if (!numbers(where, address, length) || colon == std::string::npos ||
        where.size() - colon - 1 != 2 * size_t{length}) {
        return impossible;
    }
    uint8_t *bytes = ram_.at(address, length);
    for (uint32_t i = 0; bytes != nullptr && i < length; i++) {
        const std::string two = where.substr(colon + 1 + 2 * i, 2);
        bytes[i] = static_cast<uint8_t>(std::strtoul(two.c_str(), nullptr, 16));
    }
    return bytes == nullptr ? not_memory : "OK";
}

// Z or z, kind, address and length: sets or removes a breakpoint (0, 1) or watchpoint (2, 3, 4).
std::string Gdb::change_point(const std::string &text)
{
    uint32_t address, length;
    if (text.size() < 4 || text[1] < '0' || text[1] > '4' ||
        !numbers(text.substr(3), address, length)) {
        return "";
    }
    const bool add = text[0] == 'Z';
    if (text[1] <= '1') {
        if (add) {
            breakpoints_.insert(address);
        } else {
            breakpoints_.erase(address);
        }
        return "OK";
    }
    const Watchpoint point = {text[1], address, address + length};
    const auto same = [&](const Watchpoint &other) {
        return other.kind == point.kind && other.begin == point.begin && other.end == point.end;
    };
    watchpoints_.erase(std::remove_if(watchpoints_.begin(), watchpoints_.end(), same),
                       watchpoints_.end());
    if (add) {
        watchpoints_.push_back(point);
    }
    return "OK";
}

std::string Gdb::query(const std::string &text) const
{
    const std::string description = "qXfer:features:read:target.xml:";
    if (text.compare(0, 10, "qSupported") == 0) {
        return "PacketSize=4000;qXfer:features:read+";
    }
    if (text.compare(0, description.size(), description) == 0) {
        uint32_t offset, length;
        const std::string all = target_description();
        if (!numbers(text.substr(description.size()), offset, length) || offset > all.size()) {
            return impossible;
        }
        return (offset + size_t{length} < all.size() ? "m" : "l") + all.substr(offset, length);
    }
    return text == "qAttached" ? "0" : ""; // the program ends with the debugger
}

Gdb::Answer Gdb::handle(const std::string &text)
{
    const std::string rest = text.empty() ? "" : text.substr(1);
    switch (text.empty() ? ' ' : text[0]) {
    case '?': send(trapped); break;
    case 'g': send(registers()); break;
    case 'G':
    case 'P': send(impossible); break;
    case 'm': send(read_memory(rest)); break;
    case 'M': send(write_memory(rest)); break;
    case 'Z':
    case 'z': send(change_point(text)); break;
    case 'H': send("OK"); break;
    case 'q': send(query(text)); break;
    case 's': stop_ = true; return Answer::go_on;
    case 'c': return Answer::go_on;
    case 'D':
        send("OK");
        breakpoints_.clear();
        watchpoints_.clear();
        close(connection_);
        connection_ = -1;
        return Answer::go_on;
    case 'k': return Answer::end;
    default: send(""); break; // the protocol's way to say that there is no such command
    }
    return Answer::none;
}

// ---- the program --------------------------------------------------------------------------------

// The answer that names the watchpoint which an instruction has hit, or nothing.
std::string Gdb::watched(const Access &access) const
{
    static constexpr const char *names[] = {"watch", "rwatch", "awatch"};
    const char without = access.kind == Access::Kind::load ? '2' : '3';
    for (const Watchpoint &point : watchpoints_) {
        if (access.kind != Access::Kind::none && point.kind != without &&
            access.address < point.end && access.address + access.bytes > point.begin) {
            char address[9];
            std::snprintf(address, sizeof address, "%" PRIx32, point.begin);
            return std::string("T05") + names[point.kind - '2'] + ":" + address + ";";
        }
    }
    return "";
}

bool Gdb::asked_to_stop()
{
    if (++cycle_ % interrupt_interval != 0) {
        return false;
    }
    char character;
    const ssize_t n = recv(connection_, &character, 1, MSG_DONTWAIT);
    return n == 0 || (n == 1 && character == interrupt_character);
}

// Commands until the program goes on. False: it shall end.
bool Gdb::talk()
{
    std::string text;
    while (packet(text)) {
        const Answer answer = handle(text);
        if (answer != Answer::none) {
            started_ = true;
            return answer == Answer::go_on;
        }
    }
    return false;
}

bool Gdb::serve(const CoreWatch::Events &events, bool sleeping)
{
    interrupt_ = interrupt_ || asked_to_stop();
    if (events.retired && hit_.empty()) {
        hit_ = watched(watch_.instruction().access);
    }
    const bool reached = events.boundary && (stop_ || interrupt_ || !hit_.empty() ||
                                             breakpoints_.count(watch_.pc()) != 0);
    if (!reached && !(sleeping && interrupt_)) {
        return true;
    }
    if (started_) {
        send(!hit_.empty() ? hit_ : interrupt_ ? interrupted : trapped);
    }
    stop_ = interrupt_ = false;
    hit_.clear();
    return talk();
}

void Gdb::ended(int status)
{
    if (connection_ >= 0) {
        send("W" + digits(static_cast<uint32_t>(status), 1));
    }
}
