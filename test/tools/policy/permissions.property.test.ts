// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell syntax.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { PermissionMode, Verdict } from "../../../machines/tool-call/index.ts";
import { builtinTools, createRegistry, type PermissionSource, permissions } from "../../../tools/index.ts";
import { runs } from "../../support/campaigns.ts";

const registry = createRegistry(builtinTools());

interface Call {
  readonly tool: string;
  readonly paths: readonly string[];
  readonly command?: string;
}

async function judge(
  sources: readonly PermissionSource[],
  { tool: name, paths, command }: Call,
  mode: PermissionMode = "ask",
): Promise<Verdict["kind"]> {
  const tool = registry.find(name);
  if (tool === undefined) throw new Error(name);
  const resolved = paths.map((each) => ({ path: each, real: `/w/${each}`, inside: true, ignored: false }));
  const description = { text: "", paths: resolved, ...(command !== undefined && { command }) };
  const facts = { workspace: "/w", description, permissions: { mode, rules: [] } };
  return (await permissions({ sources })({ tool, input: {} }, facts)).kind;
}

const rule = fc.constantFrom(
  ...["read(**)", "read(src/**)", "read(*.ts)", "read(src/a.ts)"],
  ...["edit(**)", "edit(src/**)", "edit(*.ts)", "edit(.git/**)", "edit(*)"],
  ...["command(*)", "command(npm *)", "command(npm test)", "command(npm test *)", "command(rm *)"],
  ...["tool(write_to_file)", "tool(execute_command)", "subtask"],
);
const ruleList = fc.array(rule, { maxLength: 4 });
const sources = fc.array(
  fc.record({ origin: fc.constant("any"), allow: ruleList, ask: ruleList, deny: ruleList }),
  { minLength: 1, maxLength: 3 },
);
const paths = fc.array(fc.constantFrom("src/a.ts", "src/b", "lib/a.ts", ".git/config"), { maxLength: 2 });
const line = fc
  .array(fc.constantFrom("npm test", "npm test -w", "rm a", "npm $x", "sudo rm a", "ls"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join("; "));
const call = fc.oneof(
  fc.record({
    tool: fc.constantFrom("read_file", "search_files", "write_to_file", "new_task"),
    paths,
  }),
  line.map((command): Call => ({ tool: "execute_command", paths: ["."], command })),
);
const mode = fc.constantFrom<PermissionMode>("plan", "ask", "auto-edit", "auto", "bypass");

describe("for any rules, call and mode", () => {
  const numRuns = runs(5_000, 1_000);

  test("an additional deny rule never turns a call that is not allowed into an allowed one", async () => {
    await fc.assert(
      fc.asyncProperty(sources, call, mode, rule, fc.nat(3), async (given, judged, mode, added, at) => {
        fc.pre((await judge(given, judged, mode)) !== "allow");
        const more = given.toSpliced(at, 0, { origin: "any", allow: [], ask: [], deny: [added] });
        expect(await judge(more, judged, mode)).not.toBe("allow");
      }),
      { numRuns, maxSkipsPerRun: 1_000 },
    );
  });

  test("without one of its allow rules, no other call is allowed", async () => {
    await fc.assert(
      fc.asyncProperty(sources, call, mode, fc.nat(2), fc.nat(3), async (given, judged, mode, at, rule) => {
        const fewer = given.map((each, n) =>
          n === at ? { ...each, allow: each.allow.toSpliced(rule, 1) } : each,
        );
        if ((await judge(fewer, judged, mode)) === "allow")
          expect(await judge(given, judged, mode)).toBe("allow");
      }),
      { numRuns },
    );
  });

  test("the order of sources and rules changes no kind of verdict", async () => {
    await fc.assert(
      fc.asyncProperty(sources, call, mode, async (given, judged, mode) => {
        const reversed = given.toReversed().map(({ origin, allow, ask, deny }) => ({
          origin,
          allow: allow.toReversed(),
          ask: ask.toReversed(),
          deny: deny.toReversed(),
        }));
        expect(await judge(reversed, judged, mode)).toBe(await judge(given, judged, mode));
      }),
      { numRuns },
    );
  });
});

/** Commands of the grammar: programs that rules list, and others. */
const command = fc.constantFrom(
  ...[
    "good",
    "good",
    "good a",
    "good $x",
    "list",
    "list -l",
    "list *",
    "list $x ~",
    "job test",
    "job test 'a b'",
  ],
  ...["job build", "job $x", "bad", "bad a", "'bad' a", "b\\ad", "./good", "A=1 good", "PATH=. good", "GOOD"],
  ...["good;bad", "list `bad`", 'list "$(bad)"', "list ${x}", "list ${x:-$(bad)}", "$x", "good#bad"],
);
const wrap = fc.constantFrom<(inner: string) => string>(
  ...[(inner: string) => inner, (inner: string) => inner, (inner: string) => inner],
  (inner) => `(${inner})`,
  (inner) => `{ ${inner}; }`,
  (inner) => `list $(${inner})`,
  (inner) => `list "a $(${inner}) b"`,
  (inner) => `sudo ${inner}`,
  (inner) => `env -i A=1 ${inner}`,
  (inner) => `sh -c '${inner}'`,
  (inner) => `sh -c "${inner}"`,
  (inner) => `eval "${inner}"`,
  (inner) => `exec ${inner}`,
  (inner) => `if ${inner}; then ${inner}; fi`,
  (inner) => `! ${inner}`,
  (inner) => `list '${inner}'`,
  (inner) => `${inner} # ; bad`,
  (inner) => `list <<E\n${inner}\nE`,
  (inner) => `list < /dev/null ${inner}`,
  (inner) => `echo ${inner} | xargs list`,
);
const separator = fc.constantFrom(
  ";",
  " && ",
  " || ",
  " | ",
  " & ",
  "\n",
  " ;\n",
  "\\\n",
  " \\\n",
  "\t",
  "|\n",
);
const commandLine = fc
  .tuple(
    fc.tuple(command, wrap, wrap).map(([inner, first, second]) => second(first(inner))),
    fc.array(
      fc.tuple(separator, command, wrap).map(([between, inner, wrap]) => between + wrap(inner)),
      { maxLength: 2 },
    ),
  )
  .map(([first, rest]) => first + rest.join(""));

describe("an allowed command line, run by a real shell, starts no program that the rules don't allow", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "permissions-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const bin = path.join(folder, "bin");
  const cwd = path.join(folder, "cwd");
  const trace = path.join(folder, "trace");
  mkdirSync(bin);
  mkdirSync(cwd);
  // A stub records its arguments. A stub of a wrapper runs what it wraps, so that this is recorded, too.
  const stub = (name: string, then = "exit 0") =>
    writeFileSync(
      path.join(bin, name),
      `#!/bin/sh\nname=${name}\nprintf '%s\\0' "$name\${*:+ $*}" >> "$TRACE"\n${then}\n`,
      { mode: 0o755 },
    );
  for (const name of ["good", "list", "job", "bad", "test"]) stub(name);
  stub("sudo", '"$@"');
  for (const name of ["env", "sh", "xargs"]) stub(name, `exec ${realProgram(name)} "$@"`);

  /** What a shell starts for these lines. */
  function startedBy(lines: readonly string[]): readonly string[] {
    writeFileSync(trace, "");
    const loop = 'for line in "$@"; do (eval "$line"; wait) </dev/null; done; exit 0';
    for (let from = 0; from < lines.length; from += 200) {
      execFileSync("/bin/sh", ["-c", loop, "sh", ...lines.slice(from, from + 200)], {
        cwd,
        env: { PATH: bin, TRACE: trace, x: "bad" },
        stdio: "ignore",
      });
    }
    return readFileSync(trace, "utf8").split("\0").filter(Boolean);
  }

  const numRuns = runs(20_000, 2_000);

  test.each([
    {
      rules: { allow: ["command(good)", "command(list *)", "command(job test *)"] },
      mode: "ask" as const,
      permitted: /^(good|list( .*)?|job test( .*)?)$/s,
      least: 0.03,
    },
    {
      rules: { allow: ["command(*)"], deny: ["command(bad *)", "command(job build)"] },
      mode: "ask" as const,
      permitted: /^(?!bad|job build$|job bad$)/,
      least: 0.1,
    },
    {
      rules: { ask: ["command(bad *)"] },
      mode: "auto" as const,
      permitted: /^(?!bad)/,
      least: 0.1,
    },
  ])("$rules in mode $mode", async ({ rules, mode, permitted, least }) => {
    const allowed: string[] = [];
    await fc.assert(
      fc.asyncProperty(commandLine, async (line) => {
        const judged = { tool: "execute_command", paths: ["."], command: line };
        if ((await judge([{ origin: "s", ...rules }], judged, mode)) === "allow") allowed.push(line);
      }),
      { numRuns },
    );
    expect(allowed.length).toBeGreaterThan(numRuns * least);
    const different = [...new Set(allowed)];
    const started = startedBy(different);
    expect(started.length).toBeGreaterThan(different.length / 3);
    expect(started.filter((each) => !permitted.test(each))).toEqual([]);
  });

  test("the stubs record what a line starts, also behind wrappers", () => {
    expect(startedBy(["sudo bad", "sh -c 'bad a; good'", "list $(bad)"])).toEqual([
      ...["sudo bad", "bad", "sh -c bad a; good", "bad a", "good", "bad", "list"],
    ]);
  });
});

function realProgram(name: string): string {
  const found = ["/bin", "/usr/bin"]
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
}
