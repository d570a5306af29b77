import { and, atMost, event, type Formula, implies, not, once, or, previous, since } from "./formula.ts";
import type { TemporalPolicy } from "./policy.ts";

/** Files that hold secrets by convention. */
const SECRETS = [
  ...[".env", ".env.*", "*.pem", "*.key", "*.p12", "id_rsa", "id_ed25519", "id_ecdsa", ".netrc", ".npmrc"],
  ...[".pypirc", ".pgpass", ".ssh", ".aws", ".gnupg", ".kube", "credentials.json", "secrets.*"],
];
/** Commands that send data to other hosts. */
const SENDING = ["curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp", "http"].map(
  (program) => `${program} *`,
);
const PUBLISHING = [
  "git push *",
  "npm publish *",
  "gh *",
  "docker push *",
  "cargo publish *",
  "twine upload *",
];
const TESTS = [
  ...["npm test *", "npm run test *", "npm t *", "pnpm test *", "yarn test *", "bun test *", "npx vitest *"],
  ...["npx jest *", "pytest *", "python -m pytest *", "tox *", "go test *", "cargo test *", "mvn test *"],
  ...["gradle test *", "./gradlew test *", "make test *", "make check *", "node --test *", "ctest *"],
];

const started = event({ event: "call.started" });
const byPerson = event({ by: "person" });

/** A call of a tool that runs outside of this process without a command line, such as one of an MCP server. */
const external = and(event({ event: "call.started", effect: "executes" }), not(event({ command: "*" })));
const sends = or(event({ event: "call.started", command: [...SENDING, ...PUBLISHING] }), external);
const fetches = or(
  event({ event: "call.started", host: "*" }),
  event({ event: "call.started", command: SENDING }),
  external,
);
const readsSecret = event({ event: "call.started", path: SECRETS });

/** Untrusted input, secrets and outside effects: a call that completes the three is permitted by a person. */
const RULE_OF_TWO: TemporalPolicy = {
  name: "rule-of-two",
  clauses: [
    {
      name: "untrusted input, secrets and outside effects need a person",
      always: implies(
        and(or(fetches, readsSecret, sends), once(fetches), once(readsSecret), once(sends)),
        byPerson,
      ),
    },
  ],
};

const NO_NETWORK_AFTER_SECRET: TemporalPolicy = {
  name: "no-network-after-secret",
  clauses: [
    {
      name: "no network after a secret was read",
      always: implies(or(fetches, sends), not(once(readsSecret))),
    },
  ],
};

const changesFiles = event({ event: "call.started", effect: "writes" });
const TESTS_BEFORE_COMMIT: TemporalPolicy = {
  name: "tests-before-commit",
  clauses: [
    {
      name: "tests passed since the last change",
      always: implies(
        event({ event: "call.started", command: "git commit *" }),
        previous(since(not(changesFiles), event({ event: "call.ended", command: TESTS, outcome: "done" }))),
      ),
    },
  ],
};

/** Files outside of these globs are not written by tools. Commands are not judged. */
export const noWriteOutside = (...globs: readonly string[]): TemporalPolicy => ({
  name: "no-write-outside",
  clauses: [{ name: "writes are in the scope", always: implies(changesFiles, event({ path: globs })) }],
});

/** After this many calls, each further one is permitted by a person. */
export const callBudget = (calls: number): TemporalPolicy => ({
  name: "budget",
  clauses: [
    {
      name: `at most ${calls} calls without a person`,
      always: implies(started, orPerson(atMost(calls, started))),
    },
  ],
});

const orPerson = (formula: Formula): Formula => or(formula, byPerson);

/** The policies without parameters, by name. */
export const SHIPPED_POLICIES = [RULE_OF_TWO, NO_NETWORK_AFTER_SECRET, TESTS_BEFORE_COMMIT];

/** The names that {@link shippedPolicy} takes. */
export const SHIPPED_NAMES: readonly string[] = [
  ...SHIPPED_POLICIES.map(({ name }) => name),
  "no-write-outside(GLOB, ...)",
  "budget(CALLS)",
];

/** A shipped policy by its name, such as `rule-of-two` or `no-write-outside(src/**)`. Undefined for another text. */
export function shippedPolicy(text: string): TemporalPolicy | undefined {
  const [, name, given] = /^([a-z-]+)(?:\((.+)\))?$/.exec(text.trim()) ?? [];
  if (given === undefined) return SHIPPED_POLICIES.find((policy) => policy.name === name);
  if (name === "no-write-outside") return noWriteOutside(...given.split(",").map((glob) => glob.trim()));
  return name === "budget" && /^\d{1,6}$/.test(given) ? callBudget(Number(given)) : undefined;
}
