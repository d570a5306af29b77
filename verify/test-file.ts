import type { Case } from "./cases.ts";
import { PROGRESS, type Violation } from "./exploration.ts";

/**
 * A violation as a test file for vitest, that fails until it is mended. It plays the path again under all laws, on the
 * machine that the module `own` exports as `machine`, or else on the shipped one. Only a violation of L13 explores
 * again, for no single path shows it.
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
