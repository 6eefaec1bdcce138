/**
 * The languages of code blocks: the names that clients know (those of Pygments' lexers), the words that people write for
 * them, and the grammars of highlight.js. Read by code-block.ts and highlight-code.ts.
 */
export interface CodeLanguage {
  /** The grammar's id. */
  readonly id: string
  readonly name: string
}

/** A line is a grammar, the name, and the words that mean it; in words spaces are not needed. */
const table = `
bash|Bash|bash sh shell zsh ksh
shell|Bash Session|console shell-session
c|C|c
cpp|C++|c++ cpp cxx hpp h++
csharp|C#|c# cs csharp
css|CSS|css
scss|SCSS|scss
less|LessCss|less
clojure|Clojure|clojure clj
cmake|CMake|cmake
coffeescript|CoffeeScript|coffeescript coffee
crystal|Crystal|crystal cr
d|D|d
dart|Dart|dart
delphi|Delphi|delphi pascal objectpascal
diff|Diff|diff udiff patch
dockerfile|Docker|docker dockerfile
dos|Batchfile|bat batch dosbatch winbatch
elixir|Elixir|elixir ex exs
elm|Elm|elm
erlang|Erlang|erlang
fortran|Fortran|fortran f90
fsharp|F#|f# fsharp
go|Go|go golang
gradle|Groovy|gradle
groovy|Groovy|groovy
graphql|GraphQL|graphql
haml|Haml|haml
handlebars|Handlebars|handlebars
haskell|Haskell|haskell hs
http|HTTP|http
ini|INI|ini cfg dosini
ini|TOML|toml
java|Java|java
javascript|JavaScript|javascript js mjs jsx
json|JSON|json
julia|Julia|julia jl
kotlin|Kotlin|kotlin kt
latex|TeX|tex latex
lisp|Common Lisp|common-lisp cl lisp
llvm|LLVM|llvm
lua|Lua|lua
makefile|Makefile|make makefile mf bsdmake
markdown|Markdown|markdown md
matlab|Matlab|matlab
nginx|Nginx configuration file|nginx
nim|Nimrod|nim nimrod
nix|Nix|nix nixos
objectivec|Objective-C|objective-c objectivec obj-c objc
ocaml|OCaml|ocaml
perl|Perl|perl pl
pgsql|PL/pgSQL|plpgsql
php|PHP|php php3 php4 php5
plaintext|Text only|text plain txt
powershell|PowerShell|powershell pwsh posh ps1
prolog|Prolog|prolog
properties|Properties|properties jproperties
protobuf|Protocol Buffer|protobuf proto
puppet|Puppet|puppet
python|Python|python py python3 py3 sage bazel starlark pyi
python-repl|Python console session|pycon
r|S|r s splus
ruby|Ruby|ruby rb duby
rust|Rust|rust rs
scala|Scala|scala
scheme|Scheme|scheme scm
smalltalk|Smalltalk|smalltalk squeak st
sql|SQL|sql
pgsql|PostgreSQL SQL dialect|postgresql postgres
stylus|Stylus|stylus
swift|Swift|swift
tcl|Tcl|tcl
thrift|Thrift|thrift
twig|Twig|twig
typescript|TypeScript|typescript ts tsx
vbnet|VB.net|vb.net vbnet
verilog|verilog|verilog v
vhdl|vhdl|vhdl
vim|VimL|vim
wasm|WebAssembly|wasm wast
x86asm|NASM|nasm
xml|HTML|html
xml|XML|xml xsl rss xslt xsd wsdl svg
yaml|YAML|yaml yml
`

const languages: ReadonlyMap<string, CodeLanguage> = new Map(
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [id = "", name = "", words = ""] = line.split("|")
      return words.split(" ").map((word): readonly [string, CodeLanguage] => [word, { id, name }])
    }),
)

/** Undefined for a word that means none of them. */
export const findLanguage = (word: string): CodeLanguage | undefined => languages.get(word.toLowerCase())

/** The grammars, to be loaded by these names only. */
export const grammars: ReadonlySet<string> = new Set(Array.from(languages.values(), ({ id }) => id))
