#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_variables.sh LIST APPS_DIR APP TOP "GOALS" NAME...: prints one sentence about the first NAME that make's command
# line must not set, and nothing if there is none. LIST is tools/variables.txt. A name is good if LIST has it, or if it
# is an option that an application of APPS_DIR declares in a line "//: NAME=meaning" of its sources. If TOP is 1, it
# must also be used by one of the goals; an option must then be one of APP, and `run` among the goals.
list=$1 apps=$2 app=$3 top=$4 goals=$5
shift 5
{
  sed '/^#/d; s/^/variable /' "$list"
  for file in "$apps"/*/*.c "$apps"/*/*.cpp "$apps"/*/*.cc "$apps"/*/*.cxx; do
    [ -f "$file" ] || continue
    owner=${file%/*}
    sed -n "s|^//: *\([A-Za-z_][A-Za-z0-9_]*\)=.*|option ${owner##*/} \1|p" "$file"
  done
} | awk -v app="$app" -v top="$top" -v goals="$goals" -v names="$*" '
  function least(a, b) { return a < b ? a : b }

  # Number of insertions, deletions, substitutions and swaps of neighbours between two names, letter case aside.
  function distance(a, b,   i, j, same, d) {
    a = toupper(a); b = toupper(b)
    for (i = 0; i <= length(a); i++) d[i, 0] = i
    for (j = 0; j <= length(b); j++) d[0, j] = j
    for (i = 1; i <= length(a); i++)
      for (j = 1; j <= length(b); j++) {
        same = substr(a, i, 1) == substr(b, j, 1)
        d[i, j] = least(least(d[i - 1, j] + 1, d[i, j - 1] + 1), d[i - 1, j - 1] + !same)
        if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1))
          d[i, j] = least(d[i, j], d[i - 2, j - 2] + 1)
      }
    return d[length(a), length(b)]
  }

  # "A, B or C" of the words of a text.
  function either(text,   word, n, i, result) {
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) result = result (i == 1 ? "" : i == n ? " or " : ", ") word[i]
    gsub("~", " ", result)
    return result
  }

  function closest(name, most,   known, best, d, found) {
    best = most
    for (known in meant) {
      d = distance(name, known)
      if (index(toupper(known), toupper(name)) == 1 && length(name) > 2) d = least(d, 1)
      if (d < best) { best = d; found = "" }
      if (d == best) found = found " " known meant[known]
    }
    return found
  }

  # A goal that is a file may use any variable.
  function uses(users,   word, n, i) {
    n = split(goals, word, " ")
    for (i = 1; i <= n; i++)
      if (users == "every" || word[i] ~ /\// || index("," users ",", "," word[i] ",") != 0) return 1
    return 0
  }

  function judge(name) {
    if (name in users && (top != 1 || uses(users[name]))) return ""
    if (name in owners && (top != 1 || (uses("run") && index(owners[name], " " app " ") != 0))) return ""
    if (name in owners && uses("run"))
      return name " is not an option of APP=" app (options[app] == "" ? ", which has none" : \
        ", whose options are" options[app]) "; it is one of APP=" either(owners[name])
    if (name in users) {
      gsub(",", " ", users[name])
      return name " has no effect here: only make " either(users[name]) " uses it" \
        (name in owners ? ", and make run for applications" : "")
    }
    if (name in owners)
      return name " has no effect here: it is an option of applications, which make run passes on"
    found = closest(name, length(name) < 3 ? 0 : length(name) < 5 ? 1 : 2)
    return "no variable is called " name (found == "" ? "." : ": did you mean " either(found) "?") \
      (uses("run") && options[app] != "" ? " The options of APP=" app " are" options[app] "." : "") \
      " Run make help-all: it lists all variables"
  }

  # meant[NAME]: what a suggestion of NAME says after it, with ~ for spaces.
  $1 == "variable" { users[$2] = $3; meant[$2] = "" }
  $1 == "option" && index(options[$2] " ", " " $3 " ") == 0 {
    options[$2] = options[$2] " " $3
    owners[$3] = (owners[$3] == "" ? " " : owners[$3]) $2 " "
    if ($2 == app) meant[$3] = ""
    else if (!($3 in meant)) meant[$3] = "~(an~option~of~APP=" $2 ")"
  }
  END {
    count = split(names, name, " ")
    for (n = 1; n <= count && sentence == ""; n++) sentence = judge(name[n])
    if (sentence != "") print sentence
  }'
