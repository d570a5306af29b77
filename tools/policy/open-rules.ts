// cspell:words bmake bunx buildx clippy corepack cscript direnv dlx entr escript fdfind forfiles gawk gradlew groovy gsed guix
// cspell:words ghci ipython irb jshell justfile lldb ltrace luajit mawk mshta msbuild mvnw nawk ncat nerdctl netcat nmake nvim osascript
// cspell:words pipx pixi pnpx psql pypy reflog regsvr rscript rsync runghc rundll rustup scons shortlog socat tclsh tmux uvx wscript wish
import { isWrapper, OTHER_SHELLS, POSIX_SHELLS, programName } from "../command-line/programs.ts";

/** Programs that run what their arguments, or a file of the workspace, say. */
const RUNS_ANY: ReadonlySet<string> = new Set(
  [
    "eval source . alias trap builtin find fd fdfind awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs nano",
    "perl ruby irb php lua luajit tclsh wish expect groovy scala kotlin jshell java swift ghci runghc elixir iex erl escript julia",
    "r rscript osascript deno bun node nodejs ts-node tsx npx pnpx bunx uvx pipx pypy pypy3 ipython",
    "make gmake bmake nmake ninja cmake just task rake gradle gradlew mvn mvnw ant bazel buck meson scons invoke tox nox",
    "docker docker-compose podman nerdctl kubectl oc helm vagrant ansible ansible-playbook terraform nix nix-shell nix-env guix",
    "ssh scp sftp rsync telnet nc ncat netcat socat mosh tmux screen script at batch crontab systemctl service",
    "gdb lldb valgrind perf ltrace tar zip split sort man less more rg git-shell sqlite3 psql mysql open xdg-open start wsl",
    "cscript wscript mshta rundll32 regsvr32 forfiles msbuild wmic hyperfine entr nodemon concurrently dotenv direnv cross-env",
  ].flatMap((line) => line.split(" ")),
);

/** Interpreters whose name has a version. */
const VERSIONED = /^(python|pypy|perl|ruby|php|lua|node|tclsh|guile|ghc|bash|dash|zsh|ksh)[\d.]*w?$/;

/** Programs whose other subcommands run or install any program, by the subcommands that don't. */
const SUBCOMMANDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    git: "status log show diff add commit branch checkout switch restore stash tag blame rev-parse ls-files ls-tree describe merge reset cherry-pick revert rm mv shortlog reflog",
    npm: "test ls list outdated view audit",
    pnpm: "test ls list outdated why audit",
    yarn: "test list outdated why audit",
    cargo: "test build check clippy fmt doc bench tree",
    go: "fmt version",
    dotnet: "test build format restore",
    uv: "lock tree",
    poetry: "check lock show",
    pip: "list show freeze check",
    pip3: "list show freeze check",
    gem: "list",
    bundle: "check list",
    composer: "validate show",
    gh: "pr issue status search",
    conda: "list info",
    busybox: "",
    pdm: "list",
    hatch: "",
    pixi: "list",
    rustup: "show",
    corepack: "",
    volta: "list",
    nvm: "ls",
    mise: "ls",
    asdf: "list",
    aws: "",
    gcloud: "",
  }).map(([program, words]) => [program, new Set(words.split(" "))]),
);

/** Package managers whose `run NAME` runs one script of the workspace. */
const SCRIPTED: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn"]);

const WORD = /^[\w./@%+,:-]+$/;
const SUBCOMMAND = /^[a-z][a-z:-]*$/;

/**
 * The rule for a program and its subcommand with any arguments. Undefined where it would allow any program: only the same
 * command can then be allowed.
 */
export function openRule(words: readonly string[]): string | undefined {
  const [program = "", second = "", third = ""] = words;
  const name = programName(program);
  if (!WORD.test(program) || program.startsWith("-")) return undefined;
  const runsAny =
    RUNS_ANY.has(name) ||
    VERSIONED.test(name) ||
    isWrapper(name) ||
    POSIX_SHELLS.has(name) ||
    OTHER_SHELLS.has(name);
  if (runsAny) return undefined;
  const harmless = SUBCOMMANDS.get(name);
  if (harmless === undefined)
    return SUBCOMMAND.test(second) ? `command(${program} ${second} *)` : `command(${program} *)`;
  if (harmless.has(second) && second !== "") return `command(${program} ${second} *)`;
  return SCRIPTED.has(name) && second === "run" && /^[\w:-]+$/.test(third) && !third.startsWith("-")
    ? `command(${program} run ${third} *)`
    : undefined;
}
