// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell syntax.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitCommand } from "../../../tools/command-line/command-parts.ts";
import { allowCommands, type CommandRules } from "../../../tools/policy/commands.ts";
import { runs } from "../../support/campaigns.ts";

async function judge(rules: CommandRules, command: string): Promise<string> {
  const tool = { name: "execute_command", group: "command", effect: "executes", ask: "command" } as const;
  const facts = { workspace: "/w", description: { text: command, paths: [], command } };
  return (await allowCommands(rules)({ tool, input: { command } }, facts)).kind;
}

const rules: CommandRules = {
  allow: ["git status", "npm", "echo", "ls", "git push --dry-run", "rm -i"],
  deny: ["rm", "git push", "npm publish"],
};

describe("a command line is allowed if all its commands are", () => {
  test.each([
    "git status",
    "  ls -la  ",
    "GIT STATUS",
    "echo a && ls; npm test | echo b\nls",
    "echo 'a; rm b' \"c && rm d\" e\\;f",
    "echo a # ; rm b",
    "ls 2>/dev/null >&2",
    "git push --dry-run origin",
    "rm -i file",
    "echo $HOME ${HOME}",
    "echo $(ls) `ls`",
    "echo a \\\n && ls",
    "",
    "ls < input",
  ])("%j is allowed", async (command) => {
    expect(await judge(rules, command)).toBe("allow");
  });
});

describe("one denied command denies the line", () => {
  test.each([
    "rm x",
    "RM x",
    "ls && rm x",
    "ls || rm x",
    "ls; rm x",
    "ls | rm x",
    "ls & rm x",
    "ls\nrm x",
    "(rm x)",
    "{ rm x; }",
    "echo $(rm x)",
    'echo "$(rm x)"',
    "echo `rm x`",
    'echo "`rm x`"',
    "echo $(echo $(rm x))",
    "ls <(rm x)",
    "if ls; then rm x; fi",
    "for f in *; do rm $f; done",
    "'rm' x",
    "r\\m x",
    'r"m" x',
    "/bin/rm x",
    "A=1 rm x",
    "sudo rm x",
    "sudo -u root rm x",
    "timeout 5 rm x",
    "ls | xargs -I {} rm {}",
    "env -i A=1 rm x",
    "sh -c 'rm x'",
    "bash -lc 'ls; rm x'",
    "eval 'rm x'",
    "exec rm x",
    "! rm x",
    "git push origin",
    "echo a # comment\nrm x",
    "git  push origin",
    "echo # '\nrm x # '",
    'echo \\" # "\nrm x',
    "rm",
    "rm;",
    "sudo -u root sh -c 'rm x'",
    "SUDO rm x",
    "nohup nice -n 1 rm x",
    "timeout 0.5 rm x",
    "env a.b=1 rm x",
    "env -S 'rm x'",
    "watch 'ls; rm x'",
    "su -c 'rm x' root",
    "find . -exec rm {} \\;",
    "find . -execdir sh -c 'rm x' \\;",
    "eval -- rm x",
    "builtin eval 'rm x'",
    "sh -ec 'rm x'",
    "sh -c -- 'rm x'",
    "sh ./rm x",
    "sh ./rm -exec",
    "set a; for y do rm x; done",
    "fish -c 'rm x'",
    "ls \\\n; rm x",
  ])("%j is denied, even if every command is allowed", async (command) => {
    expect(await judge(rules, command)).toBe("deny");
    expect(await judge({ allow: ["*"], deny: rules.deny ?? [] }, command)).toBe("deny");
  });

  test("the longest prefix wins, and deny wins a tie", async () => {
    expect(await judge({ allow: ["ls"], deny: ["ls"] }, "ls")).toBe("deny");
    expect(await judge({ allow: ["*"], deny: ["*"] }, "ls")).toBe("deny");
    expect(await judge({ allow: ["*"], deny: ["ls"] }, "ls")).toBe("deny");
    expect(await judge({ allow: ["ls -l"], deny: ["ls"] }, "ls -l")).toBe("allow");
  });
});

test("nested wrappers and scripts are judged, whatever their number (a time that is exponential in it would end the test)", async () => {
  let line = "x";
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  for (let depth = 0; depth < 4; depth += 1) line = `${"sudo -a ".repeat(60)} ${quote(`${line}; y`)}`;
  const finds = "find -exec ".repeat(2_000);
  for (const command of [line, `${"sudo -a ".repeat(3_000)}x`, finds, `${"env -S 'a b' ".repeat(2_000)}x`])
    expect(await judge({ allow: ["*"], deny: ["rm"] }, command)).toBe("ask");
});

describe("syntax that can't be judged statically is asked about, even if every command is allowed", () => {
  test.each([
    "echo ${x@P}",
    "echo ${!x}",
    "echo ${x:-$(ls)}",
    "cat <<EOF\nit's\nEOF\nls # '",
    "cat <<< x",
    "echo =(ls)",
    "echo *(e:'ls':)",
    "echo $'a'",
    "echo $((1+1))",
    "$x y",
    "`echo ls`",
    "l? x",
    "{ls,x}",
    "echo 'open",
    'echo "open',
    "echo $(ls",
    "echo )",
    "f() { ls; }",
    "case x in x) ls;; esac",
    'sh -c "$x"',
    "eval $x",
    "echo a\\",
    "echo <\\\n<x",
    "echo \0",
    "echo ls | sh",
    "sh -s < ls",
    "sh -es a < ls",
    "sh /dev/stdin < ls",
    "echo ls | xargs sh -c",
    "echo ls | xargs env",
    "echo ls | xargs -I% %",
    "echo ls | xargs -I{} sh -c 'echo {}'",
    "echo ls | xargs find .",
    "find $x",
    "sh $x",
    "sh -c -o errexit ls",
    "sh -oc errexit ls",
    "sh -ic ls",
    "zsh -c ls",
    "env -S ls",
    "sudo -u root $x",
    "command source ls",
    "PATH=. ls",
    "env LD_PRELOAD=./a ls",
    "unset PATH",
    "env 'BASH_FUNC_ls%%=() { echo; }' bash -c ls",
    "PS4='$(ls)'; set -x",
    "x='a[$(ls)]'",
    "test -v 'a[$(ls)]'",
    "((x))",
    "ls &>/dev/null",
    "f () { ls; }",
    "echo\u00a0ls",
    "ls\r",
    `sudo -u ${"a ".repeat(600)}`,
  ])("%j is asked", async (command) => {
    expect(await judge({ allow: ["*"] }, command)).toBe("ask");
  });

  test.each([
    "ls > file",
    "ls >> file",
    "ls 2> file",
    "ls >| file",
    "ls &> file",
    "ls >&file",
    "ls <> file",
    "ls > $x",
  ])("%j writes a file: it is asked about unless every command is allowed", async (command) => {
    expect(await judge({ allow: ["ls"] }, command)).toBe("ask");
  });

  test("a command line for a shell that is not a POSIX shell is asked about unless it is denied", async () => {
    const tool = { name: "execute_command", group: "command", effect: "executes", ask: "command" } as const;
    const kindOf = async (command: string) => {
      const facts = {
        workspace: "/w",
        shell: "/usr/bin/fish",
        description: { text: "", paths: [], command },
      };
      return (await allowCommands({ allow: ["*"], deny: ["rm"] })({ tool, input: {} }, facts)).kind;
    };
    expect(await kindOf("ls")).toBe("ask");
    expect(await kindOf("rm x")).toBe("deny");
  });

  test("a carriage return belongs to the word", async () => {
    expect(await judge({ allow: ["ls"] }, "'ls\r'")).toBe("ask");
    expect(await judge({ allow: ["ls"] }, "ls\r\n ls")).toBe("ask");
  });

  test.each([
    "sudo npm $x",
    "xargs grep x",
    "sh build.sh",
    "bash -ec 'ls; echo'",
    "find . -name '*.ts'",
    "ls -l {}",
  ])("%s is not", async (command) => {
    expect(await judge({ allow: ["*"] }, command)).toBe("allow");
  });

  test("an unknown command is asked about, also if its name begins like an allowed one", async () => {
    expect(await judge(rules, "make")).toBe("ask");
    expect(await judge(rules, "echoes")).toBe("ask");
    expect(await judge(rules, "ls-secrets")).toBe("ask");
    expect(await judge(rules, "LD_PRELOAD=x ls")).toBe("ask");
  });

  test("a call that executes no command is asked about", async () => {
    const tool = { name: "read_file", group: "read", effect: "reads", ask: "tool" } as const;
    const facts = { workspace: "/w", description: { text: "", paths: [] } };
    expect(await allowCommands({ allow: ["*"] })({ tool, input: {} }, facts)).toEqual({ kind: "ask" });
  });
});

const separator = fc.constantFrom(";", "&&", "||", "|", "&", "\n", " ; ", " && ", "\n\n", " # note\n");
const quoted = fc
  .string({ unit: fc.constantFrom(...'abc ;|&$`()<>#\\\n"{}'), maxLength: 12 })
  .map((text) => `'${text}'`);
const good = fc
  .constantFrom("ls", "echo", "git status")
  .chain((name) =>
    fc
      .array(fc.oneof(fc.constantFrom("a", "-b", "\\;", '"c d"', "\\'", '"\\""'), quoted), { maxLength: 3 })
      .map((args) => [name, ...args].join(" ")),
  );
const wrap: readonly ((inner: string) => string)[] = [
  (inner) => inner,
  (inner) => `(${inner})`,
  (inner) => `{ ${inner}\n}`,
  (inner) => `echo $(${inner}\n)`,
  (inner) => `echo "a $(${inner}\n) b"`,
  (inner) => `if ls; then ${inner}\nfi`,
  (inner) => `sudo ${inner}`,
];
const bad = fc.constantFrom("rm", "'rm'", "r\\m", "/bin/rm", '"rm"', "r''m").map((name) => `${name} x`);

test("a denied command is denied anywhere in a line", async () => {
  const line = fc
    .tuple(
      fc.array(fc.tuple(good, separator), { maxLength: 4 }),
      bad,
      fc.array(fc.constantFrom(...wrap), { maxLength: 3 }),
      fc.array(fc.tuple(separator, good), { maxLength: 3 }),
    )
    .map(([before, command, wraps, after]) => {
      const inner = wraps.reduce((text, each) => each(text), command);
      return (
        before.map((each) => each.join("")).join("") + inner + after.map((each) => each.join("")).join("")
      );
    });
  await fc.assert(
    fc.asyncProperty(line, async (command) => {
      expect(await judge({ allow: ["*"], deny: ["rm"] }, command)).toBe("deny");
    }),
    { numRuns: 500 },
  );
});

const nasty = fc.string({
  unit: fc.constantFrom(
    ...[
      "good",
      "good",
      "bad",
      "bad",
      " ",
      " ",
      " ",
      "\n",
      ";",
      "&",
      "|",
      "(",
      ")",
      "$(",
      "$",
      "`",
      "'",
      '"',
      "\\",
      "#",
    ],
    ...[
      "<",
      ">",
      "<<",
      "{",
      "}",
      "x=",
      "$x",
      "if",
      "then",
      "fi",
      "do",
      "!",
      "case",
      "in",
      "esac",
      "=",
      "*",
      "$'",
      "\t",
    ],
  ),
  minLength: 1,
  maxLength: 14,
});

test.each(["/bin/sh", "/bin/bash"].filter((shell) => existsSync(shell)))(
  "in %s, an allowed line runs only allowed commands",
  async (shell) => {
    const cwd = mkdtempSync(path.join(tmpdir(), "policy-"));
    const allowed: string[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          nasty,
          nasty.map((text) => `good ${text}`),
        ),
        async (command) => {
          const { parts } = splitCommand(command);
          if (parts.length > 0 && (await judge({ allow: ["good"], deny: ["bad"] }, command)) === "allow")
            allowed.push(command);
          if ((await judge({ allow: ["*"], deny: ["bad"] }, command)) === "allow") allowed.push(command);
        },
      ),
      { numRuns: runs(5_000, 1_000) },
    );
    expect(allowed.length).toBeGreaterThan(300);
    const script =
      'good() { :; }; bad() { : > "$MARK/ran.$n"; }; n=0; for c in "$@"; do n=$((n+1)); (eval "$c"; wait) </dev/null; done';
    const mark = mkdtempSync(path.join(tmpdir(), "policy-"));
    for (let from = 0; from < allowed.length; from += 500) {
      const slice = allowed.slice(from, from + 500);
      execFileSync(shell, ["-c", `${script}; exit 0`, shell, ...slice], {
        cwd,
        env: { MARK: mark, PATH: "/nowhere" },
        stdio: "ignore",
      });
      const ran = readdirSync(mark).map((name) => slice[Number(name.slice(4)) - 1]);
      expect(ran).toEqual([]);
    }
    rmSync(cwd, { recursive: true });
    rmSync(mark, { recursive: true });
  },
);
