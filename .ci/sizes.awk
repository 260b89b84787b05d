# Lists the functions of more than 40 lines, from their first word to their last brace, and the values with more than 15 stored
# fields: name, size, unit, place. swift-format's layout is the parser: a declaration ends with the brace under its first word.
function begin(kind, rest) { # its name is what follows the first word; that of an initializer is that word
    if (rest ~ /^(init|subscript|deinit)/) sub(/[^a-z].*/, "", rest)
    else { sub(/^[a-z]+ +/, "", rest); sub(/[^A-Za-z0-9_.].*/, "", rest) }
    depth++
    kinds[depth] = kind; starts[depth] = FNR; columns[depth] = column; fields[depth] = 0
    names[depth] = depth > 1 ? names[depth - 1] "." rest : rest
}
function end(   lines) {
    lines = FNR - starts[depth] + 1
    if (kinds[depth] == "function" && lines > 40) print names[depth], lines, "lines", FILENAME ":" starts[depth]
    if (kinds[depth] == "type" && fields[depth] > 15) print names[depth], fields[depth], "fields", FILENAME ":" starts[depth]
    depth--
}

FNR == 1 { depth = 0; isText = 0 }
isText { if (/"""/) isText = 0; next }
/^ *(\/\/.*|#.*)?$/ { next }
{
    line = $0
    isText = gsub(/"""/, "", line) % 2
    sub(/ +\/\/ .*/, "", line)
    column = match(line, /[^ ]/) - 1
    # A requirement of a protocol has no body.
    while (depth > 0 && column <= columns[depth] && line !~ /^ *[])}{]/) depth--
    if (depth > 0 && column == columns[depth] && line ~ /^ *[}]/) { end(); next }
    isStatic = line ~ /^ *([a-z()]+ )*(static|class) ([a-z()]+ )*(let|var) /
    sub(/^ +/, "", line)
    while (sub(/^(@[A-Za-z_.]+(\([^)]*\))?|public|package|internal|private|fileprivate|open|final|static|class|mutating|nonmutating|override|convenience|required|indirect|consuming|borrowing|lazy|weak|isolated|prefix|postfix|infix|(nonisolated|unowned|private|package|internal|fileprivate)(\([a-z]+\))?) +/, line ~ /^class [A-Z]/ ? "type " : "", line)) {}
    isOpen = line !~ /[}]$/ || line !~ /[{]/
    if (line ~ /^(type|struct|actor|enum|extension|protocol) +[A-Z]/) { if (isOpen) begin("type", line) }
    else if (line ~ /^(func |init[?!]?[(<]|subscript[(<]|deinit )/) { if (isOpen) begin("function", line) }
    else if (depth > 0 && kinds[depth] == "type" && column == columns[depth] + 4 && line ~ /^(let|var) /) {
        head = line
        sub(/[{].*/, "", head)
        isStored = line !~ /[{]/ || head ~ / = / || line ~ /[{] (did|will)Set/
        if (!isStored) { if (isOpen) begin("function", line) }
        else if (!isStatic) fields[depth] += line ~ /^(let|var) \(/ ? split(substr(line, 1, index(line, ")")), parts, ",") : 1
    }
    else if (line ~ /^(did|will)Set/ && kinds[depth] == "function") { kinds[depth] = "observed"; fields[depth - 1]++ }
}
