import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { CAMPAIGNS, type Campaign, ISOLATED, PASSIVATED } from "./campaigns.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RECORD = path.join(ROOT, "docs/generated/campaigns.txt");

/** All campaigns, with the second run of tests on tasks that are passivated. */
export const ALL_CAMPAIGNS: Readonly<Record<string, Campaign>> = { ...CAMPAIGNS, passivation: PASSIVATED };

/** Files that the result of each campaign depends on. */
const COMMON = ["package-lock.json", "vitest.config.ts"];

/** The test files of a campaign. */
export const testsOf = ({ tests, except = [] }: Campaign): readonly string[] => {
  const others = [...ISOLATED, ...except];
  const isOther = (file: string): boolean =>
    others.some((path) => file === path || (path.endsWith("/") && file.startsWith(path)));
  return tests.flatMap(filesIn).filter((file) => file.endsWith(".test.ts") && !isOther(file));
};

/** The digest of the files that each campaign is about: its tests, what they share with their neighbors, and what it tries. */
export const digests = (campaigns = ALL_CAMPAIGNS): ReadonlyMap<string, string> =>
  new Map(Object.entries(campaigns).map(([name, campaign]) => [name, digestOf(filesOf(campaign))]));

function filesOf(campaign: Campaign): readonly string[] {
  const tests = testsOf(campaign);
  const folders = new Set(tests.map((file) => path.dirname(file)));
  const shared = [...folders].flatMap((folder) =>
    filesIn(folder).filter((file) => path.dirname(file) === folder && !file.endsWith(".test.ts")),
  );
  return [...tests, ...shared, ...[...campaign.about, ...COMMON].flatMap(filesIn)];
}

function digestOf(files: readonly string[]): string {
  // What passed on one platform says nothing of another.
  const hash = createHash("sha256").update(
    `${process.platform} Node ${process.versions.node.split(".")[0]}\n`,
  );
  for (const file of [...new Set(files)].sort()) {
    const content = createHash("sha256")
      .update(readFileSync(path.join(ROOT, file)))
      .digest("hex");
    hash.update(`${file}\0${content}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

/** The files of a folder without generated ones, or the file itself. */
function filesIn(name: string): readonly string[] {
  const place = path.join(ROOT, name);
  if (!existsSync(place)) throw new Error(`Expected ${name}, which a campaign names, found no such file.`);
  if (!statSync(place).isDirectory()) return [name];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(place, path.join(entry.parentPath, entry.name)))
    .filter((file) => !GENERATED.test(file))
    .map((file) => path.join(name, file));
}

const GENERATED = /(^|\/)(node_modules|dist)\/|^(generated|api|\.vitepress\/(cache|dist))\//;

/** The digests with which campaigns passed, by their names. */
function recordedIn(file: string): ReadonlyMap<string, string> {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return new Map(
    lines.flatMap((line) => {
      const [, digest, name] = /^([0-9a-f]{16}) (.+)$/.exec(line) ?? [];
      return digest === undefined || name === undefined ? [] : [[name, digest] as const];
    }),
  );
}

/** The names of the campaigns that passed with these digests. */
export function passedBefore(now: ReadonlyMap<string, string>, file = RECORD): readonly string[] {
  const before = recordedIn(file);
  return [...now].filter(([name, digest]) => before.get(name) === digest).map(([name]) => name);
}

/** A test file that ran. */
export interface RanFile {
  readonly file: string;
  /** Whether its tasks were passivated. */
  readonly isPassive: boolean;
  /** Whether a test of it passed and none failed. */
  readonly hasPassed: boolean;
}

/**
 * The digest of each campaign that ran and passed; undefined for one with a file that did not run or pass, and for one whose
 * result counts for no later run.
 */
export function resultsOf(
  ran: readonly RanFile[],
  now: ReadonlyMap<string, string>,
  campaigns = ALL_CAMPAIGNS,
): ReadonlyMap<string, string | undefined> {
  const results = new Map<string, string | undefined>();
  for (const [name, campaign] of Object.entries(campaigns)) {
    const isPassive = campaign === PASSIVATED;
    const files = ran.filter((each) => each.isPassive === isPassive);
    const own = testsOf(campaign).map((test) => files.find(({ file }) => file === test));
    if (own.every((file) => file === undefined)) continue;
    const hasPassed = own.every((file) => file?.hasPassed === true) && campaign.needsRegistry !== true;
    results.set(name, hasPassed ? now.get(name) : undefined);
  }
  return results;
}

/** Writes down with which digests campaigns passed. A campaign with `undefined` failed; one that no longer exists is dropped. */
export function record(
  results: ReadonlyMap<string, string | undefined>,
  file = RECORD,
  campaigns: object = ALL_CAMPAIGNS,
): void {
  const lines = [...new Map([...recordedIn(file), ...results])].flatMap(([name, digest]) =>
    digest === undefined || !Object.hasOwn(campaigns, name) ? [] : [`${digest} ${name}`],
  );
  writeFileSync(file, [...HEADER, ...lines.sort(), ""].join("\n"));
}

const HEADER = [
  "The campaigns of the tests that passed, each with a digest of the files that it is about (test/support/campaigns.ts).",
  "A campaign whose digest differs runs again in .ci/run. `npm run test:all` runs all, and renews this file.",
  "",
];
