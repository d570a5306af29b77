import { describe, expect, test } from "vitest";
import {
  allowCommands,
  builtinTools,
  byRules,
  type PolicyFacts,
  suggestedRules,
} from "../../../tools/index.ts";
import type { PermissionSource } from "../../../tools/policy/permission-rule.ts";
import { createRegistry } from "../../../tools/registry.ts";

// cspell:words setsid ionice dlx bunx uvx podman toybox ltrace fakeroot pkexec caffeinate setpriv bwrap firejail taskset chrt
// cspell:words runuser nsenter entr setarch prlimit numactl
const tool = createRegistry(builtinTools()).find("execute_command");
if (tool === undefined) throw new Error("no tool");
const call = { tool, input: {} };
const factsOf = (command: string): PolicyFacts => ({
  workspace: "/w",
  description: { text: command, paths: [], command },
});
const policyOf = (rules: Omit<PermissionSource, "origin">) =>
  byRules({ sources: [{ origin: "s", ...rules }] });
const kindOf = (rules: Omit<PermissionSource, "origin">, command: string) =>
  policyOf(rules)(call, factsOf(command)).kind;
const offered = (command: string) => suggestedRules(policyOf({}), call, factsOf(command));

describe("a rule that is offered does not allow any program", () => {
  test.each([
    ...[
      "timeout 5 $P",
      "env $P",
      "env A=1 $P",
      "env -S '$P'",
      "nice $P",
      "sudo $P",
      "sudo -u root $P",
      "doas $P",
    ],
    ...[
      "xargs $P",
      "nohup $P",
      "time $P",
      "stdbuf -oL $P",
      "setsid $P",
      "ionice -c3 $P",
      "chroot /x $P",
      "su -c '$P'",
    ],
    ...[
      "watch $P",
      "parallel $P",
      "ssh host $P",
      "busybox $P",
      "eval $P",
      "exec $P",
      "command $P",
      "builtin $P",
    ],
    ...["find . -exec $P {} ;", "find . -name x", "sh -c '$P'", "bash -c '$P'", "bash x.sh", "zsh -c '$P'"],
    ...[
      "/usr/bin/env $P",
      "/usr/bin/timeout 5 $P",
      "timeout.exe 5 $P",
      "C:/bin/ENV.EXE $P",
      "A=1 $P",
      "source x",
    ],
    ...[
      "python3 x.py",
      "python3.12 -c x",
      "/usr/bin/python x",
      "node x.js",
      "perl x",
      "ruby x",
      "php x",
      "deno run x",
    ],
    ...[
      "bun x",
      "awk x",
      "sed -e x",
      "make x",
      "make",
      "npx x",
      "npm exec x",
      "npm x y",
      "pnpm dlx x",
      "bunx x",
      "uvx x",
    ],
    ...[
      "docker run x",
      "docker exec a x",
      "podman run x",
      "kubectl exec a x",
      "git -c a.b=c log",
      "git x",
      "git",
    ],
    ...[
      "git rebase x",
      "git bisect run x",
      "git config x",
      "npm install x",
      "go run x",
      "go test ./..",
      "cargo run",
    ],
    ...["tar xf a", "rsync a b", "vim a", "man ls", "psql x", "tmux new", "rg --pre x", "npm run", "npm -v"],
  ])("as of %j", (text) => {
    const command = text.replaceAll("$P", "rm");
    for (const rule of offered(command)) {
      // What is left open follows a program that was named.
      if (rule !== `command(${command})`) expect(rule).toBe("command(rm *)");
    }
  });

  test.each([
    ["ls -l", "command(ls *)"],
    ["git status -s", "command(git status *)"],
    ["npm test -- a", "command(npm test *)"],
    ["npm run build", "command(npm run build *)"],
    ["cargo test", "command(cargo test *)"],
    ["timeout 5 ls", "command(ls *)"],
    ["nice -n 5 timeout -k 1 5 npm test", "command(npm test *)"],
    ["env git status", "command(git status *)"],
    ["./build.sh a", "command(./build.sh a *)"],
  ])("%j offers the same command and %j, and each allows it", (command, open) => {
    const rules = offered(command);
    expect(rules).toEqual([`command(${command})`, open]);
    for (const rule of rules) expect(kindOf({ allow: [rule] }, command)).toBe("allow");
  });
});

describe("the program inside a wrapper is judged", () => {
  const WRAPPED = [
    ...[
      "timeout 5",
      "timeout -s KILL 5",
      "timeout --signal=KILL -k 1 5",
      "/usr/bin/timeout 5",
      "nice",
      "nice -n 5",
    ],
    ...[
      "nohup",
      "time",
      "time -p",
      "stdbuf -oL",
      "setsid",
      "ionice -c3",
      "env",
      "env -i",
      "env -u A",
      "command",
    ],
    ...["nice timeout 5", "env nice -n 1 nohup"],
  ];

  test.each(WRAPPED)("behind %j by the rules for it", (wrapper) => {
    expect(kindOf({ allow: ["command(ls *)"] }, `${wrapper} ls -l`)).toBe("allow");
    expect(kindOf({ allow: ["command(ls *)"] }, `${wrapper} rm -rf x`)).toBe("ask");
    expect(kindOf({ allow: ["command(*)"], deny: ["command(rm *)"] }, `${wrapper} rm -rf x`)).toBe("deny");
    expect(kindOf({ allow: ["command(ls *)"], ask: ["command(ls -x *)"] }, `${wrapper} ls -x`)).toBe("ask");
    const prefixes = allowCommands({ allow: ["ls"], deny: ["rm"] });
    expect(prefixes(call, factsOf(`${wrapper} ls -l`))).toMatchObject({ kind: "allow" });
    expect(prefixes(call, factsOf(`${wrapper} rm x`))).toMatchObject({ kind: "deny" });
  });

  /** Programs that run the command after them, and after options that only some of them know. */
  const WRAPPERS = [
    ...["sudo", "doas", "command", "builtin", "exec", "env", "nohup", "nice", "stdbuf", "setsid", "xargs"],
    ...["busybox", "toybox", "time", "unshare", "strace", "ltrace", "fakeroot", "pkexec", "systemd-run"],
    ...["unbuffer", "caffeinate", "setpriv", "bwrap", "firejail", "xvfb-run", "dbus-run-session", "watch"],
  ];
  /** The same, after operands. */
  const AFTER_OPERANDS = [
    ...["timeout", "chroot", "ionice", "taskset", "chrt", "flock", "runuser", "ssh", "nsenter", "entr"],
    ...["setarch", "prlimit", "numactl", "parallel"],
  ];

  test.each([
    ...WRAPPERS.flatMap((wrapper) => [`${wrapper} rm x`, `${wrapper} -k 1 rm x`, `/usr/bin/${wrapper} rm x`]),
    ...AFTER_OPERANDS.flatMap((wrapper) => [`${wrapper} 5 rm x`, `${wrapper} -k 1 5 rm x`]),
    ...["env A=1 rm x", "env -S 'rm x'", "A=1 rm x", "sudo -u root env A=1 timeout -k 1 5 rm x"],
    ...["su -c 'rm x'", "script -c 'rm x' log", "sudo sh -c 'rm x'", "xargs -n 1 rm", "xargs -I {} rm {}"],
    ...["sh -c 'rm x'", "zsh -c 'rm x'", "eval rm x", "find . -exec rm {} ;", "find . -execdir sudo rm {} +"],
  ])("%j is denied by a rule for rm", (command) => {
    expect(kindOf({ allow: ["command(*)"], deny: ["command(rm *)"] }, command)).toBe("deny");
  });

  test.each([
    ...[
      "sudo ls",
      "doas ls",
      "env A=1 ls",
      "env PATH=x ls",
      "A=1 ls",
      "./timeout 5 ls",
      "timeout $x ls",
      "xargs ls",
    ],
    ...[
      "timeout --unknown 5 ls",
      "env -S ls",
      "env -C / ls",
      "time -o x ls",
      "ssh host ls",
      "sh -c ls",
      "timeout ls",
    ],
  ])("%j is not allowed by a rule for ls: who runs, what or where is another", (command) => {
    expect(kindOf({ allow: ["command(ls *)"] }, command)).toBe("ask");
  });
});

describe("a saved rule that leaves open what a wrapper runs", () => {
  test.each([
    ...[
      "timeout 5 rm x",
      "env rm x",
      "env A=1 rm x",
      "nice rm x",
      "sudo rm x",
      "sudo -u root rm x",
      "xargs rm",
      "nohup rm",
    ],
    ...[
      "find . -exec rm {} +",
      "ssh host rm x",
      "sh -c 'rm x'",
      "bash x.sh",
      "watch rm x",
      "su -c 'rm x'",
      "command rm x",
    ],
  ])("allows nothing of %j", async (command) => {
    const program = command.slice(0, command.indexOf(" "));
    const rules = { allow: [`command(${program} *)`] };
    expect(kindOf(rules, command)).toBe("ask");
    expect(policyOf(rules).explain(call, factsOf(command)).because).toContain(
      `command(${program} *) in s does not name the program that runs`,
    );
    const prefix = allowCommands({ allow: [program] });
    expect(await prefix(call, factsOf(command))).toMatchObject({ kind: "ask" });
  });

  test("allows what it names, and what another rule allows", async () => {
    expect(kindOf({ allow: ["command(timeout *)", "command(ls *)"] }, "timeout 5 ls")).toBe("allow");
    expect(kindOf({ allow: ["command(timeout 5 rm *)"] }, "timeout 5 rm x")).toBe("allow");
    expect(kindOf({ allow: ["command(sudo ls *)"] }, "sudo ls x")).toBe("allow");
    expect(kindOf({ allow: ["command(sudo ls *)"] }, "sudo rm x")).toBe("ask");
    expect(kindOf({ allow: ["command(timeout 5 rm x)"] }, "timeout 5 rm x")).toBe("allow");
    expect(kindOf({ allow: ["command(sh build.sh *)"] }, "sh build.sh x")).toBe("allow");
    expect(kindOf({ allow: ["command(find *)"] }, "find . -name x")).toBe("allow");
    expect(kindOf({ allow: ["command(*)"] }, "sudo rm x")).toBe("allow");
    expect(await allowCommands({ allow: ["*"] })(call, factsOf("sudo rm x"))).toMatchObject({
      kind: "allow",
    });
    expect(await allowCommands({ allow: ["sudo ls"] })(call, factsOf("sudo ls x"))).toMatchObject({
      kind: "allow",
    });
  });
});

describe("a line of several commands", () => {
  const offeredBy = (rules: Omit<PermissionSource, "origin">, command: string) =>
    suggestedRules(policyOf(rules), call, factsOf(command));

  test.each([
    [
      {},
      "npm test && git status",
      ["command(npm test)", "command(git status)", "command(npm test *)", "command(git status *)"],
    ],
    [
      { allow: ["command(npm test)"] },
      "npm test && git status",
      ["command(git status)", "command(git status *)"],
    ],
    [{ allow: ["command(git *)"] }, "git status | wc -l; git diff", ["command(wc -l)", "command(wc *)"]],
    [{}, "npm test && npm test", ["command(npm test)", "command(npm test *)"]],
    // A command that can't be allowed: then no rule allows the line.
    [{}, "npm test && $P", []],
    [{}, "npm test > out.txt && git status", []],
    [{ deny: ["command(git push *)"] }, "npm test && git push origin", []],
    [{ ask: ["command(npm *)"] }, "npm test && git status", []],
    [{}, Array.from({ length: 9 }, (_, at) => `echo ${at}`).join("; "), []],
  ] as const)("with %j, %s is offered %j", (rules, command, expected) => {
    const offers = offeredBy(rules, command);
    expect(offers).toEqual(expected);
    if (offers.length > 0)
      expect(
        policyOf({ ...rules, allow: [...("allow" in rules ? rules.allow : []), ...offers] })(
          call,
          factsOf(command),
        ).kind,
      ).toBe("allow");
  });
});
