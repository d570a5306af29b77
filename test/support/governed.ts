import type { TaskOptions } from "../../runtime/options.ts";
import { openIntents } from "../../settings/index.ts";
import { byRules, type Hook } from "../../tools/index.ts";
import { event, implies, not, once, type TemporalPolicy } from "../../tools/temporal/index.ts";

const NO_KEYS: Hook = {
  name: "no-keys",
  beforeTool: (call) =>
    JSON.stringify(call.arguments).includes("PRIVATE KEY")
      ? { decision: "deny", reason: "It has a private key." }
      : undefined,
};
const SEALED: TemporalPolicy = {
  name: "sealed",
  clauses: [
    {
      name: "no write after a secret",
      always: implies(
        event({ event: "call.started", effect: "writes" }),
        not(once(event({ event: "call.ended", path: ".env" }))),
      ),
    },
  ],
};
const source = {
  origin: "settings.yaml:3",
  allow: ["edit(src/**)", "read(**)"],
  deny: ["edit(src/secret.txt)"],
};

/** A task with intents, a hook, rules, and a policy over time. */
export const GOVERNED = {
  permissions: { level: "auto", judge: byRules({ sources: [source] }), policies: [SEALED] },
  hooks: [NO_KEYS],
  intents: openIntents,
} satisfies Partial<TaskOptions>;

const write = (name: string, content = "one\\ntwo\\n"): string =>
  `{ tool: write_to_file, input: { path: ${name}, content: "${content}" } }`;

/** Denied by intents, allowed under INT-1, denied by the hook, by a rule, and by the clause after the read. */
export const GOVERNED_SCRIPT = `
- ${write("src/a.txt")}
- { tool: select_active_intent, input: { intent_id: INT-1 } }
- ${write("src/a.txt")}
- ${write("src/b.txt", "PRIVATE KEY")}
- ${write("src/secret.txt")}
- { tool: read_file, input: { path: .env } }
- ${write("src/c.txt")}
- { tool: attempt_completion, input: { result: All done. } }
`;

/** The workspace of a governed task. */
export const GOVERNED_FILES: Readonly<Record<string, string>> = {
  ".env": "KEY=1\n",
  ".orchestration/active_intents.yaml": `active_intents:
  - { id: INT-1, name: Limits, status: IN_PROGRESS, owned_scope: ["src/**"] }
`,
};
