// SPDX-License-Identifier: Apache-2.0
// The tool's manual. --help prints it, --man prints the same text for man.
#include "cli.h"

#include <ctype.h>
#include <string.h>

#define OUTPUT_TEXT "  -o, --output FILE   write there\n"

const cli_command cli_commands[] = {
    {"show", cli_show, "FORMAT CODE...", "take codes apart",
     "Prints the fields, the class and the exact value of each code. A code is 0x and an even "
     "number of hexadecimal\n"
     "digits, or a decimal number. FORMAT is a name of 'fp8mac formats', or name:bias "
     "where the bias is flexible.\n",
     "  fp8mac show e4m3fn 0x7e\n  fp8mac show e5m2 0x7c 0x01\n  fp8mac show cfloat8_e4m3:20 "
     "0xff\n",
     false},
    {"table", cli_table, "FORMAT", "print every code and its exact value",
     "Prints one line per code: the code, its sign, exponent and mantissa bits, and its exact "
     "value. "
     "The format has\nat most 16 bits.\n",
     "  fp8mac table e5m2fnuz\n  fp8mac table e2m1fn\n", false},
    {"cast", cli_cast, "[OPTION...] FORMAT [INPUT...]", "convert values or codes to a format",
     "Rounds once. The section Input describes INPUT. FORMAT may also be float64. Results of at "
     "most "
     "8 bits are\n"
     "printed as codes, others as values.\n"
     "  --from FORMAT       the format of codes in the input\n"
     "  --scale X           multiply by X first, in float32\n"
     "  --rounding R        nearest-even (default), toward-zero, stochastic\n"
     "  --overflow O        " FP8MAC_OVERFLOW_WORDS " (default: the first)\n"
     "  --random-bits N     stochastic: 1..24, default 16\n"
     "  --seed S            stochastic: key of the generator, default 0\n"
     "  --generator G       stochastic: threefry (default), or simon, which the accelerator has\n"
     "  --codes, --values   print codes, or values\n"
     "  --flags             print raised flags to standard error\n"
     "  --inexact-flags     the same, with inexact and underflow\n" OUTPUT_TEXT,
     "  fp8mac cast e4m3fn 448 0.3 -inf\n  fp8mac cast float32 --from e4m3fn 0x7e0138\n"
     "  printf '0.1 0.2\\n0.3 0.4\\n' | fp8mac cast e5m2 --overflow ieee --values\n"
     "  fp8mac cast e4m3fn --scale 16 weights.txt -o codes.txt\n",
     false},
    {"dot", cli_dot, "[OPTION...] [A B]",
     "one dot product, bit for bit as a configuration computes it",
     "A and B are inputs of equal length. Without them, standard input has A in its first line and "
     "B "
     "in its second.\n"
     "Values are rounded to the operand formats, to nearest even, and saturated. Prints the "
     "accumulator as a float32.\n"
     "  --mx-a S, --mx-b S  E8M0 block scales, one for every 32 terms\n"
     "  --acc X             the accumulator to begin with, a value or a code of its format\n"
     "  --codes             print the float32 code\n"
     "  --flags             print raised flags to standard error\n"
     "  --inexact-flags     the same, with inexact and underflow\n" OUTPUT_TEXT,
     "  fp8mac dot 1,2,3 0.5,0.25,-4\n  fp8mac dot --preset hopper-fp8 a.txt b.txt --flags\n"
     "  printf '0x3840\\n1 2\\n' | fp8mac dot --acc-format fp16 --codes\n",
     true},
    {"gemm", cli_gemm, "[OPTION...] A B",
     "D = convert(act(A * B^T * scales + bias + beta * C) * scale_d)",
     "A is M x K, B is N x K, with one row per line. Every operation of the epilogue is one "
     "float32 operation, in this\norder.\n"
     "  --b-kn              B is K x N\n"
     "  --scale-a S         one float32, or one per row of A; --scale-b likewise, per row of B\n"
     "  --scale-d X         multiplies before the conversion to D\n"
     "  --bias V            N values\n"
     "  --c C               M x N values or codes; --c-format float32 (default), float16, "
     "bfloat16; --beta X (1)\n"
     "  --act A             " FP8MAC_ACT_WORDS "; a clamp is clamp:LOW,HIGH\n"
     "  --mx-a S, --mx-b S  E8M0 block scales, M (N) rows of one for every 32 terms\n"
     "  --acc X             M x N accumulators to begin with, values or codes of their format\n"
     "  --d-format F        float32 (default), float16, bfloat16, e4m3fn, e5m2, e4m3fnuz, "
     "e5m2fnuz,\n"
     "                      int8\n"
     "  --d-rounding, --d-overflow, --d-random-bits, --d-generator   as in cast\n"
     "  --codes             print codes of D; 8-bit results are always codes\n"
     "  --flags             print raised flags and amax to standard error\n"
     "  --inexact-flags     the same, with inexact and underflow\n" OUTPUT_TEXT,
     "  fp8mac gemm a.txt b.txt -o d.txt\n"
     "  fp8mac gemm --a-format e5m2 --acc-format fp16 --group 4 --d-format e4m3fn --scale-d 0.5 "
     "a.txt b.txt\n"
     "  fp8mac gemm '1,2;3,4' '1,0;0,1' --bias 10,20 --act relu\n",
     true},
    {"rows", cli_rows, "[OPTION...] OPERATION X", "reduce or normalise each row of a matrix",
     "OPERATION is one of these: " FP8MAC_ROWS_WORDS
     ".\nX has one row per line. Every operation is one "
     "float32 operation, and a sum has a fixed order. quantise divides a row\nby its magnitude, "
     "the "
     "largest |x|; give the largest code as --scale-d. quantise-mx gives MX codes in an FP8 "
     "format,\n"
     "and a scale for each 32 columns of a row.\n"
     "  --x-format F        the format of X: float32 (default), or any that D may have\n"
     "  --seen N, --causal  columns that the first row sees (all); each row sees one more. Not for "
     "norms, sigmoid, tanh, quantise and quantise-mx\n"
     "  --factor X          multiplies a reduction, or what softmax, sigmoid or tanh is taken of\n"
     "  --eps X             norms: added to the mean square or variance (1e-5)\n"
     "  --gamma V, --beta V norms: a factor and a summand for each column; rms-norm takes no beta\n"
     "  --act, --scale-d, --d-format, --d-rounding, --d-overflow, --codes, --flags   as in gemm; "
     "argmax takes none of them, quantise-mx --d-format, --codes and --flags\n"
     "  --scales FILE       quantise-mx: where its E8M0 scales go, as codes, which gemm takes as "
     "block scales\n" OUTPUT_TEXT,
     "  fp8mac rows softmax '0,1,2;3,3,3'\n"
     "  fp8mac rows layer-norm '1,2,3,4' --gamma 1,1,2,2 --d-format e4m3fn --scale-d 16\n"
     "  fp8mac rows argmax '1,7,7;-1,-5,-2'\n"
     "  fp8mac rows quantise-mx '1000,3,-0.5' --d-format e4m3fn --scales scales.txt\n",
     false},
    {"cycles", cli_cycles, "[OPTION...] [LAYERS]", "count the accelerator's clock cycles",
     "Prints the cycles and the counters of the RTL for a GEMM, --m M --n N --k K, as the "
     "firmware's driver divides it,\n"
     "from the write of the doorbell until the accelerator is idle. Or LAYERS is a CSV file, whose "
     "first line names its\n"
     "columns, and the output is CSV with a line for each layer. The cycles are those of one of "
     "`count`. `core` are the\n"
     "core's cycles on the simulated chip, if the driver has a plan for each of the `commands`.\n"
     "  a GEMM: m, n, k; optional layer, count, format_a, format_b, format_d, format_c (if not "
     "empty, C is added),\n"
     "    mx (1: A and B have MX scales), vectors (1: a scale for each column of D, and a bias)\n"
     "  a convolution, which reads its image in place with a command for each group and image: "
     "ifmap height,\n"
     "    ifmap width, filter height, filter width, channels, num filter; optional strides (or "
     "stride_y, stride_x),\n"
     "    dilation_y, dilation_x, pad_y, pad_x, images, groups, pixel_bytes (a pixel begins at a "
     "beat)\n"
     "  both: all of these columns; a line leaves those of the other kind empty\n"
     "  a topology of SCALE-Sim; a layer with DP in its name is depthwise\n"
     "An error in the file is reported as FILE:LINE:COLUMN; commas divide columns.\n"
     "  --list              run the file's commands as one recorded list, started once; each layer "
     "reads what the\n"
     "                      layer before it has written\n"
     "  --tables T          in a --list, D of each layer, FP8 or INT8, goes through a table of "
     "codes. stay: loaded\n"
     "                      before the list; load: loaded by each layer\n"
     "  --d-format F        the format of D: e4m3fn (default; int8 with --requantise), or any "
     "other\n"
     "  --rows, --cols, --lanes, --tiles, --epi-width, --max-mn, --queue-depth, --buf-beats\n"
     "                      parameters of fp8mac_accel, with its defaults\n"
     "  --axi BITS          bits of a beat: 64, 128 (default), 256\n"
     "  --element KIND      the kind of the array's elements: block (default), or another\n"
     "  --requantise        with --element int8: the integer requantiser is in the place of the "
     "FP32 "
     "epilogue. D is int8,\n"
     "                      or float32, which then says INT32; a scale of a column takes two "
     "words\n"
     "  --memory M          chip (default): the simulated chip's, where 32 bursts wait to read "
     "and\n"
     "                      16 to write; ideal: takes everything at once\n"
     "  --latency N         cycles by which the memory answers later (0)\n"
     "  --stall PERMILLE    probability of a stall, in each cycle and channel of the chip's "
     "memory: 0 to 900 (0)\n"
     "  --seed N            seed of the stalls (1)\n"
     "  --start CYCLE       cycle of the doorbell, counted from the chip's reset (0): stalls and "
     "files count from there\n"
     "  --bus FILE          write every transfer of the bus of one GEMM as CSV: cycle, channel, "
     "address, bytes, as the\n"
     "                      simulator's --bus does\n"
     "  --timeline FILE     write commands, loads and steps of one GEMM, or of a --list, along "
     "time, for "
     "ui.perfetto.dev,\n"
     "                      as the simulator's --timeline does\n"
     "  --descriptor, --a, --b, --d ADDRESS\n"
     "                      where the command and its matrices lie, for --bus and "
     "--timeline\n" OUTPUT_TEXT,
     "  fp8mac cycles --m 512 --n 512 --k 512\n"
     "  fp8mac cycles --m 64 --n 64 --k 64 --rows 8 --cols 8 --axi 256 --latency 20\n"
     "  printf 'layer,m,n,k\\nscores,128,128,64\\nvalues,128,64,128\\n' | fp8mac cycles -\n",
     false},
    {"plan", cli_plan, "NETWORK.csv... --sweep SWEEP.toml -o FOLDER",
     "cross layers with configurations",
     "Each NETWORK is a CSV file of layers, as `fp8mac cycles` takes it. SWEEP.toml says which "
     "configurations are tried:\n"
     "  [sweep]                every value of a list with every one of the others\n"
     "  rows = [2, 4, 8]       parameters are those of `fp8mac cycles`, with _ for -\n"
     "  macs = [64, 512]       optional: the least and the most products a cycle\n"
     "  impossible = \"skip\"    optional: leave out what the RTL refuses; else it ends the plan\n"
     "  [[configuration]]      one more configuration\n"
     "FOLDER gets results.csv (cycles, utilisation, bytes, area), plan.html (fronts of area and "
     "cycles) and runs.jsonl,\n"
     "with which an interrupted plan continues. Needs Python 3.11.\n"
     "  --jobs N            processes at a time (default: all cores)\n",
     "  fp8mac plan bert.csv resnet.csv --sweep sweep.toml -o build/plan\n", false},
    {"probe", cli_probe, "[SETTING...]", "measure the width of an accumulator",
     "Runs the accumulator-width experiment that is run on GPUs. It prints the largest k for which "
     "2^k + 1 - 2^k is 1:\n"
     "within one step, with one term per step, and with 2^k in the accumulator. It also prints how "
     "a lost bit is rounded\nand where a sum of ones stops growing.\n",
     "  fp8mac probe --preset hopper-fp8\n  fp8mac probe --acc-format fp16 --group 4\n"
     "  fp8mac probe --format e5m2 --preset blackwell-fp8 --frac-bits 20\n",
     true},
    {"presets", cli_presets, "[NAME...]", "print the presets: published hardware and our elements",
     "Prints what each preset computes, its settings that are not zero, and its source. An element "
     "is named KIND,\nKIND_fF, KIND_lL or KIND_fF_lL: F fraction bits, L lanes (4 by default).\n",
     "  fp8mac presets\n  fp8mac presets cdna3-fp8 late_fp16_f13_l16\n", false},
    {"formats", cli_formats, "[FORMAT...]", "print the table of formats",
     "Prints the layout (sign, exponent and mantissa bits), the bias, the largest and the smallest "
     "positive value,\nand the special values.\n",
     "  fp8mac formats\n  fp8mac formats e4m3fn qc_e4m3:9\n", false},
    {0},
};

static const char input_text[] =
    "An input is a list of numbers (1,2,0.5; ';' ends a row), the name of a file, or '-' for "
    "standard input. Without\n"
    "one, standard input is read. A file has numbers between spaces or commas and one row per "
    "line; '#' begins a comment.\n"
    "A number that begins with 0x and has neither point nor exponent is one code, or several run "
    "together (0x7e01). Any\n"
    "other number is a value, read as float64. An input has codes or values, not both.\n";

static const char status_text[] = "0: done. 1: the output could not be written. 2: bad input; a "
                                  "sentence on standard error names the valid input.\n";

static void print_settings(FILE *to)
{
    fprintf(to, "  %-20s%s\n", "--preset NAME",
            "all settings of a preset; later settings change them");
    fprintf(to, "  %-20s%s\n", "--format F", "a-format and b-format");
    for (size_t i = 0; i < settings_count(); i++) {
        fprintf(to, "  --%-18s%s\n", settings_name(i), settings_help(i));
    }
}

static void print_command(FILE *to, const cli_command *command)
{
    fprintf(to, "Usage: fp8mac %s %s\n\nfp8mac %s: %s.\n\n%s", command->name, command->synopsis,
            command->name, command->summary, command->text);
    if (command->settings) {
        fputs("\nSettings of the dot product (default 0: an exact sum, FP32, one product "
              "per step):\n",
              to);
        print_settings(to);
    }
    bool reads = command->run == cli_cast || command->run == cli_dot || command->run == cli_gemm ||
                 command->run == cli_rows;
    fprintf(to, "%s%s\nExamples:\n%s", reads ? "\nInput:\n" : "", reads ? input_text : "",
            command->examples);
}

void cli_help(cli *c, const cli_command *command)
{
    if (command != NULL) {
        print_command(c->out, command);
        return;
    }
    fputs("Usage: fp8mac COMMAND [ARGUMENT...]\n\nBit-accurate FP8 arithmetic: formats, "
          "conversions, dot products, scaled "
          "GEMMs.\n\n",
          c->out);
    for (const cli_command *each = cli_commands; each->name != NULL; each++) {
        fprintf(c->out, "  %-10s%s\n", each->name, each->summary);
    }
    fprintf(c->out,
            "\n'fp8mac COMMAND --help' tells more, 'fp8mac --version' the version.\nExit status: "
            "%s\nExamples:\n",
            status_text);
    for (const cli_command *each = cli_commands; each->name != NULL; each++) {
        fprintf(c->out, "%.*s", (int)(strchr(each->examples, '\n') - each->examples) + 1,
                each->examples);
    }
}

// ---- the manual page ----------------------------------------------------------------------------

// Prints text with the escapes that troff needs.
static void troff(FILE *to, const char *text)
{
    for (bool begins = true; *text != '\0'; begins = *text++ == '\n') {
        if (begins && (*text == '.' || *text == '\'')) {
            fputs("\\&", to);
        }
        if (*text == '\\') {
            fputs("\\e", to);
        } else if (*text == '-') {
            fputs("\\-", to);
        } else if (*text == '\'') {
            fputs("\\(aq", to);
        } else if (*text == '^') {
            fputs("\\(ha", to);
        } else {
            fputc(*text, to);
        }
    }
}

static void troff_literal(FILE *to, const char *text)
{
    fputs(".nf\n", to);
    troff(to, text);
    fputs(".fi\n", to);
}

static void man_command(FILE *to, const cli_command *command)
{
    fprintf(to, ".SS fp8mac %s ", command->name);
    troff(to, command->synopsis);
    fputc('\n', to);
    fprintf(to, "%c", toupper((unsigned char)command->summary[0]));
    troff(to, command->summary + 1);
    fputs(".\n.PP\n", to);
    troff_literal(to, command->text);
    if (command->settings) {
        fputs("Settings are below.\n", to);
    }
    fputs(".PP\nExamples:\n", to);
    troff_literal(to, command->examples);
}

void cli_man(cli *c)
{
    FILE *to = c->out;
    fprintf(to, ".TH FP8MAC 1 \"\" \"fp8mac %s\" \"User Commands\"\n", FP8MAC_VERSION);
    fputs(".SH NAME\nfp8mac \\- bit\\-accurate FP8 arithmetic\n.SH SYNOPSIS\n.B fp8mac\nCOMMAND "
          "[ARGUMENT...]\n"
          ".SH COMMANDS\n",
          to);
    for (const cli_command *each = cli_commands; each->name != NULL; each++) {
        man_command(to, each);
    }
    fputs(".SH SETTINGS OF THE DOT PRODUCT\nA setting that is not given is 0, which is exact, "
          "FP32, one a step.\n.nf\n",
          to);
    fputs("  \\-\\-preset NAME       everything as \\(aqfp8mac presets\\(aq says; what follows "
          "changes it\n"
          "  \\-\\-format F          a\\-format and b\\-format\n",
          to);
    for (size_t i = 0; i < settings_count(); i++) {
        fprintf(to, "  \\-\\-%-18s", settings_name(i));
        troff(to, settings_help(i));
        fputc('\n', to);
    }
    fputs(".fi\n.SH INPUT\n", to);
    troff(to, input_text);
    fputs(".SH EXIT STATUS\n", to);
    troff(to, status_text);
}
