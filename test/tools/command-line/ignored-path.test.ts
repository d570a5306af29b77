// cspell:words closedx cret fclosed losed osed xzfclosed
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { PermissionMode } from "../../../machines/tool-call/permissions.ts";
import { allowCommands, builtinTools, byRules } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";

const base = realpathSync(mkdtempSync(path.join(tmpdir(), "ignored-path-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A workspace with these rules in its `.rooignore`. */
function folderWith(name: string, rules: string): string {
  const folder = path.join(base, name);
  mkdirSync(path.join(folder, "sub/deep"), { recursive: true });
  mkdirSync(path.join(folder, "closed"));
  writeFileSync(path.join(folder, ".rooignore"), rules);
  symlinkSync("closed", path.join(folder, "link"));
  symlinkSync("../closed/key", path.join(folder, "sub/link"));
  symlinkSync("sub/deep", path.join(folder, "hop"));
  return folder;
}
const closed = folderWith("closed", "closed\n*.key\n/sub/own\n.env\n");

const tool = createRegistry(builtinTools()).find("execute_command");
if (tool === undefined) throw new Error("no tool");

async function described(command: string, { folder = closed, cwd }: { folder?: string; cwd?: string } = {}) {
  const input = { command, ...(cwd !== undefined && { cwd }) };
  const prepared = tool?.prepare(input);
  if (prepared?.ok !== true) throw new Error("not valid");
  return prepared.call.describe({ workspace: await openWorkspace(folder) });
}

async function judge(command: string, mode: PermissionMode = "ask", options = {}) {
  const description = await described(command, options);
  const policy = byRules({ sources: [{ origin: "s", allow: ["command(*)"] }] });
  const facts = { workspace: closed, description, permissions: { mode, rules: [] } };
  if (tool === undefined) throw new Error("no tool");
  const own = await allowCommands({ allow: ["*"] })({ tool, input: {} }, facts);
  const { kind } = policy({ tool, input: {} }, facts);
  expect(own.kind).toBe(kind === "deny" ? "ask" : kind);
  return kind;
}

describe("a command line that names a path that .rooignore denies is asked about, whatever is allowed", () => {
  test.each([
    "cat closed/a",
    "cat closed",
    "cat ./closed/../closed/a",
    "cat CLOSED/a",
    "cat 'clo'sed/\"a\"",
    "cat cl\\osed/a",
    `cat ${closed}/closed/a`,
    `cat ${closed}/sub/../closed/a`,
    "cat link/a",
    "cat sub/link",
    "cat hop/../own",
    "cat a.key",
    "cat .ENV",
    "cat < closed/a",
    "echo x > closed/a",
    "cat <closed/a",
    "ls; cat closed/a",
    "echo $(cat closed/a)",
    "echo `cat closed/a`",
    "cat <(cat closed/a)",
    "sh -c 'cat closed/a'",
    "sh -c 'cat < clo\"sed\"/a'",
    "eval cat closed/a",
    "grep -fclosed/a b",
    "tar -xzfclosed/a",
    "grep --file=closed/a b",
    "curl -F file=@closed/a b",
    "git show HEAD:closed/a",
    "node -e 'read(\"closed/a\")'",
    "x=closed/a",
    "env X=closed/a ls",
    "sudo -u root cat closed/a",
    "find . -exec cat closed/a \\;",
    "cd sub && cat own",
    "cd sub/deep; cat ../own",
    "pushd sub/deep; cd ..; cat own",
    "git -C sub show own",
    "make --directory=sub own",
    "cat sub/o*",
    "cat clos?d/a",
    "cat [c]losed/a",
    "cat */a",
    "cat link/*",
    "cat hop/../o*",
    "cat *",
    "cat *.k*",
    "ls **/a",
    "cat ~/a",
    "cat {a,b}",
    "cat $x",
    'cat "$(ls)"',
    "cat <<EOF\nclosed/a\nEOF",
    "cat $'clo\\x73ed/a'",
    `echo ${Array.from({ length: 1_100 }, (_, at) => `w${at}`).join(" ")}`,
  ])("%s", async (command) => {
    for (const mode of ["ask", "auto"] as const) expect(await judge(command, mode)).toBe("ask");
  });

  test("and denied where nobody is asked", async () => {
    for (const command of ["cat closed/a", "cat *", "cat $x"])
      expect(await judge(command, "bypass")).toBe("deny");
  });

  test("relative to its working directory", async () => {
    expect(await judge("cat own", "ask", { cwd: "sub" })).toBe("ask");
    expect(await judge("cat ../own", "ask", { cwd: "hop" })).toBe("ask");
    expect(await judge("ls", "ask", { cwd: "closed" })).toBe("ask");
    expect(await judge("ls", "bypass", { cwd: "closed" })).toBe("deny");
  });

  test("with the word as the reason", async () => {
    expect((await described("cat b --x=closed/a")).ignoredPath).toBe("'closed/a' is blocked by .rooignore");
    expect((await described("cat c*")).ignoredPath).toBe(
      "'c*' may match a path that is blocked by .rooignore",
    );
    expect((await described("cat $x")).ignoredPath).toBe(
      "'$x' may become a path that is blocked by .rooignore",
    );
  });
});

describe("another command line is not", () => {
  test.each([
    "npm test",
    "cat own",
    "cat sub/deep/own",
    "cat sub/*.ts",
    "ls *.ts 'closed-not'",
    "cat closedx",
    "cd sub && npm test",
    "cat ../other/*.ts",
    "grep -r x . 2>/dev/null",
  ])("%s", async (command) => {
    expect(await judge(command)).toBe("allow");
    expect(await described(command)).not.toHaveProperty("ignoredPath");
  });

  test("where no rule denies a path", async () => {
    const folder = folderWith("open", "# nothing\n\n!closed\n");
    for (const command of ["cat *", "cat $x", "cat closed/a", "cat {a,b} ~/c"])
      expect(await judge(command, "ask", { folder })).toBe("allow");
  });

  test("but any is where the rules can't be read", async () => {
    const folder = folderWith("unreadable", "");
    rmSync(path.join(folder, ".rooignore"));
    mkdirSync(path.join(folder, ".rooignore"));
    expect(await judge("ls", "ask", { folder })).toBe("ask");
  });
});
