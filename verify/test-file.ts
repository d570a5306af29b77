import type { Case } from "./cases.ts";
import { PROGRESS, type Violation } from "./exploration.ts";

/**
 * Format a violation as a vitest file that fails until the fault is fixed. The test replays the path and checks all
 * laws, on the `machine` exported by module `own` or on the shipped one. A violation of L13 is explored again: no
 * single path shows it.
 */
export function formatTestFile(
  { law, what, path }: Violation,
  { bounds, input }: Omit<Case, "name">,
  own?: string,
): string {
  const title = JSON.stringify(`${law}: ${what}`);
  const machine = own === undefined ? "taskMachine" : "machine";
  const imported = `import { ${machine} } from ${json(own ?? "signalbox/machines")};`;
  const given = json(input);
  if (law === PROGRESS.law)
    return `${imported}
import { explore } from "signalbox/verify";
import { expect, test } from "vitest";

test(${title}, () => {
  const found = explore({ machine${own === undefined ? ": taskMachine" : ""}, laws: [], bounds: ${json(bounds)}, input: ${given} });
  expect(found.violations.map(({ law, what }) => \`\${law}: \${what}\`)).toEqual([]);
});
`;
  return `${imported}
import { ALL_LAWS, violationsOn, type PathEvent } from "signalbox/verify";
import { expect, test } from "vitest";

const path: readonly PathEvent[] = [
${path.map((pathEvent) => `  ${json(pathEvent)},`).join("\n")}
];

test(${title}, () => {
  expect(violationsOn(path, ${machine}, ALL_LAWS, ${given})).toEqual([]);
});
`;
}

const json = (value: unknown): string => JSON.stringify(value);
