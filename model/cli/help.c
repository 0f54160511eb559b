// SPDX-License-Identifier: Apache-2.0
// The tool's manual. --help prints it, --man prints the same text for man.
#include "cli.h"

#include <ctype.h>
#include <string.h>

#define OUTPUT_TEXT                                                                                \
    "  -o, --output FILE   write there: .npy if the name ends so, else text\n"                     \
    "  --npy               write .npy to standard output\n"

const cli_command cli_commands[] = {
    {"show", cli_show, "FORMAT CODE...", "take codes apart",
     "Prints the fields, the class and the exact value of each code. A code is 0x and an even "
     "number of hexadecimal\n"
     "digits, or a decimal number. FORMAT is a name of 'fp8mac formats', or name:bias for a row "
     "with a flexible bias.\n",
     "  fp8mac show e4m3fn 0x7e\n  fp8mac show e5m2 0x7c 0x01\n  fp8mac show cfloat8_e4m3:20 "
     "0xff\n",
     false},
    {"table", cli_table, "FORMAT", "print every code and its exact value",
     "One line a code: the code, its sign, exponent and mantissa bits, its value in full. At most "
     "16 bits.\n",
     "  fp8mac table e5m2fnuz\n  fp8mac table e2m1fn\n", false},
    {"cast", cli_cast, "[OPTION...] FORMAT [INPUT...]", "convert values or codes to a format",
     "Rounds once. INPUT is as described under Input below; FORMAT may be float64 too. Results of "
     "8 bits or fewer are\n"
     "printed as codes, others as values.\n"
     "  --from FORMAT       what codes in the input are\n"
     "  --scale X           multiply by X first, in float32\n"
     "  --rounding R        nearest-even (default), toward-zero, stochastic\n"
     "  --overflow O        saturate (default), saturate-finite, ieee\n"
     "  --random-bits N     stochastic: 1..24, default 16\n"
     "  --seed S            stochastic: key of the generator, default 0\n"
     "  --codes, --values   print codes, or values\n"
     "  --flags             raised flags to standard error\n" OUTPUT_TEXT,
     "  fp8mac cast e4m3fn 448 0.3 -inf\n  fp8mac cast float32 --from e4m3fn 0x7e0138\n"
     "  printf '0.1 0.2\\n0.3 0.4\\n' | fp8mac cast e5m2 --overflow ieee --values\n"
     "  fp8mac cast e4m3fn --scale 16 weights.npy -o codes.npy\n",
     false},
    {"dot", cli_dot, "[OPTION...] [A B]",
     "one dot product, bit for bit as a configuration computes it",
     "A and B are inputs of equal length, or else the two lines of standard input. Values are "
     "rounded to the operand\n"
     "formats, to nearest even, saturating. Prints the accumulator as a float32.\n"
     "  --mx-a S, --mx-b S  E8M0 block scales, one for every 32 terms\n"
     "  --codes             print the float32 code\n"
     "  --flags             raised flags to standard error\n" OUTPUT_TEXT,
     "  fp8mac dot 1,2,3 0.5,0.25,-4\n  fp8mac dot --preset hopper-fp8 a.npy b.npy --flags\n"
     "  printf '0x3840\\n1 2\\n' | fp8mac dot --acc-format fp16 --codes\n",
     true},
    {"gemm", cli_gemm, "[OPTION...] A B",
     "D = convert(act(A * B^T * scales + bias + beta * C) * scale_d)",
     "A is M x K, B is N x K: text with a row a line, or .npy. Every operation of the epilogue is "
     "one float32 operation\n"
     "in this order.\n"
     "  --b-kn              B is K x N\n"
     "  --scale-a S         one float32, or one for each row of A; --scale-b likewise\n"
     "  --scale-d X         multiplies before the conversion to D\n"
     "  --bias V            N values\n"
     "  --c C               M x N values or codes; --c-format float32 (default), float16, "
     "bfloat16; --beta X (1)\n"
     "  --act A             none, relu, clamp:LOW,HIGH\n"
     "  --mx-a S, --mx-b S  E8M0 block scales, M (N) rows of one for every 32 terms\n"
     "  --d-format F        float32 (default), float16, bfloat16, e4m3fn, e5m2, e4m3fnuz, "
     "e5m2fnuz\n"
     "  --d-rounding, --d-overflow, --d-random-bits   as of cast\n"
     "  --codes             print codes of D, as 8-bit ones are anyway\n"
     "  --flags             raised flags and amax to standard error\n" OUTPUT_TEXT,
     "  fp8mac gemm a.npy b.npy -o d.npy\n"
     "  fp8mac gemm --a-format e5m2 --acc-format fp16 --group 4 --d-format e4m3fn --scale-d 0.5 "
     "a.npy b.npy\n"
     "  fp8mac gemm '1,2;3,4' '1,0;0,1' --bias 10,20 --act relu\n",
     true},
    {"probe", cli_probe, "[SETTING...]", "how many bits a configuration keeps",
     "The accumulator-width experiment that is run on GPUs: the largest k for which 2^k + 1 - 2^k "
     "is still 1, within one\n"
     "step, one term a step, and with the accumulator holding 2^k; how a lost bit is rounded; and "
     "where a sum of ones\n"
     "stops growing.\n",
     "  fp8mac probe --preset hopper-fp8\n  fp8mac probe --acc-format fp16 --group 4\n"
     "  fp8mac probe --format e5m2 --preset blackwell-fp8 --frac-bits 20\n",
     true},
    {"presets", cli_presets, "[NAME...]", "print the published configurations, with their sources",
     "What each computes, its settings that are not zero, and where it is known from.\n",
     "  fp8mac presets\n  fp8mac presets cdna3-fp8\n", false},
    {"formats", cli_formats, "[FORMAT...]", "print the table of formats",
     "Layout (sign, exponent and mantissa bits), bias, largest and smallest positive value, "
     "special values.\n",
     "  fp8mac formats\n  fp8mac formats e4m3fn qc_e4m3:9\n", false},
    {0},
};

static const char input_text[] =
    "An input is a list of numbers (1,2,0.5; rows end with ';'), the name of a file, or '-' for "
    "standard input; where\n"
    "none is given, standard input. Files are .npy by their first bytes, otherwise text: numbers "
    "between spaces or\n"
    "commas, a row a line, '#' begins a comment. A number that begins with 0x and has neither "
    "point nor exponent is one\n"
    "code or several run together (0x7e01); any other is a value, read as float64. The two are not "
    "mixed. In .npy,\n"
    "little-endian and in C order, u1 (u2, u4 for wide formats) are codes, f2, f4, f8 values.\n";

static const char status_text[] = "0: done. 1: the output could not be written. 2: bad input; a "
                                  "sentence on standard error says what would be right.\n";

static void print_settings(FILE *to)
{
    fprintf(to, "  %-20s%s\n", "--preset NAME",
            "everything as 'fp8mac presets' says; what follows changes it");
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
        fputs("\nSettings of the dot product (a setting that is not given is 0, which is exact, "
              "FP32, one a step):\n",
              to);
        print_settings(to);
    }
    bool reads = command->run == cli_cast || command->run == cli_dot || command->run == cli_gemm;
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

// ---- the manual page ----------------------------------------------------------------------------------------------

// Text as troff takes it: backslashes, and dots and quotes at the beginning of a line, are escaped.
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
