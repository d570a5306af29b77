import { type CommandPattern, EXPECTED_COMMAND, parseCommandPattern } from "../policy/command-pattern.ts";
import { EXPECTED_GLOB, type PathGlob, parseGlob } from "../policy/path-glob.ts";
import { EXPECTED_HOST, type HostPattern, parseHost, parseHostPattern } from "../web/host.ts";
import { commandOf, mayRun, runsOnly } from "./command.ts";
import { TemporalError } from "./error.ts";
import { isAboutCall, type PolicyEvent, valuesOf, valuesOfArgument } from "./event.ts";
import type { ArgumentValue, EventPattern, OneOf, ScoreRange } from "./formula.ts";

/**
 * How an event is compared with a pattern. `may`: where a match leads to a violation, what may match counts. `must`: where
 * a match prevents one, only what matches as a whole and for certain counts. So a policy fails closed.
 */
export type Strictness = "may" | "must";

/** Whether an event matches a pattern. `bound`: the value that `each` has bound. */
export type Matcher = (event: PolicyEvent, bound: string | undefined) => boolean;

type Field = keyof EventPattern;
type Values = Required<EventPattern>;
type MatcherOf<K extends Field> = (value: Values[K], how: Strictness) => Matcher;
type Matchers = { readonly [K in keyof Values]: MatcherOf<K> };

/** Compile a pattern. @throws TemporalError `POLICY_INVALID` */
export function compilePattern(pattern: EventPattern, how: Strictness): Matcher {
  const matchers = FIELDS.flatMap((field) => matcherOf(field, pattern, how) ?? []);
  return (event, bound) => matchers.every((matches) => matches(event, bound));
}

function matcherOf<K extends Field>(field: K, pattern: EventPattern, how: Strictness): Matcher | undefined {
  const { [field]: value }: Partial<Values> = pattern;
  const create: Matchers[K] = MATCHERS[field];
  return value === undefined ? undefined : create(value, how);
}

const listOf = <T extends ArgumentValue>(given: OneOf<T>): readonly T[] =>
  typeof given === "object" ? given : [given];

const MATCHERS: Matchers = {
  event: (kinds) => {
    const all = new Set(listOf(kinds));
    return ({ kind }) => all.has(kind);
  },
  tool: (names) => {
    const all = listOf(names).map(namePattern);
    return ({ tool }) => tool !== undefined && all.some((matches) => matches(tool));
  },
  effect: (effects, how) => {
    const all = new Set(listOf(effects));
    return (event) =>
      event.effect === undefined ? how === "may" && isAboutCall(event) : all.has(event.effect);
  },
  path: (globs, how) => {
    const all = listOf(globs).map(globPattern);
    return how === "must" ? (event) => hasOnlyPaths(all, event) : (event) => mayTouch(all, event);
  },
  host: (hosts, how) => {
    const all = listOf(hosts).map(hostPattern);
    if (how === "must") return (event) => hasOnlyHosts(all, event);
    // Any word of a command line could be some host.
    const named = listOf(hosts)
      .filter((text) => text.trim() !== "*")
      .map(hostPattern);
    return (event) => maySendTo(all, event) || namesHost(named, event);
  },
  command: (commands, how) => {
    const all = listOf(commands).map(commandPattern);
    const matches = how === "must" ? runsOnly : mayRun;
    return (event) => event.command !== undefined && matches(all, event);
  },
  argument: (expected, how) => {
    const all = argumentPatterns(expected);
    const matches = how === "must" ? hasOnlyValues : mayHaveValue;
    return (event) => all.every((pattern) => matches(pattern, event));
  },
  outcome: (outcomes, how) => {
    const all = new Set(listOf(outcomes));
    return ({ kind, outcome }) =>
      outcome === undefined ? how === "may" && kind === "call.ended" : all.has(outcome);
  },
  by: (approver, how) => (event) =>
    event.by === undefined ? how === "may" && hasApprover(event.kind) : event.by === approver,
  verdict: (verdicts) => {
    const all: ReadonlySet<string> = new Set(listOf(verdicts));
    return ({ verdict }) => verdict !== undefined && all.has(verdict);
  },
  author:
    (expected) =>
    ({ author }) =>
      author === expected,
  score: (expected) => {
    const all = scoreRanges(expected);
    return ({ scores = {} }) =>
      all.every(([name, { over }]) => Object.hasOwn(scores, name) && (scores[name] ?? 0) > over);
  },
  mode: (modes) => {
    const all = new Set(listOf(modes));
    return ({ mode }) => mode !== undefined && all.has(mode);
  },
  same: (variable) => (event, bound) => bound !== undefined && valuesOf(event, variable).includes(bound),
};

const isField = (name: string): name is Field => Object.hasOwn(MATCHERS, name);
/** The fields of a pattern. */
export const FIELDS: readonly Field[] = Object.keys(MATCHERS).filter(isField);

const hasApprover = (kind: PolicyEvent["kind"]): boolean => kind === "call.started" || kind === "call.ended";

function namePattern(text: string): (name: string) => boolean {
  const start = text.slice(0, -1);
  return text.endsWith("*") ? (name) => name.startsWith(start) : (name) => name === text;
}

const globPattern = (text: string): PathGlob => parseGlob(text) ?? fail(EXPECTED_GLOB, text);
const hostPattern = (text: string): HostPattern => parseHostPattern(text) ?? fail(EXPECTED_HOST, text);
const commandPattern = (text: string): CommandPattern =>
  parseCommandPattern(text) ?? fail(EXPECTED_COMMAND, text);

function fail(expected: string, came: string): never {
  throw new TemporalError(
    "POLICY_INVALID",
    `expected ${expected}, received '${came.slice(0, 100)}'. Correct it.`,
  );
}

/** An argument, and what its values are compared with. */
interface ArgumentPattern {
  readonly name: string;
  readonly isExpected: (value: string) => boolean;
}

function argumentPatterns(expected: Values["argument"]): readonly ArgumentPattern[] {
  const all = Object.entries(expected);
  if (all.length === 0) fail("the name of an argument", "none");
  return all.map(([name, values]) => {
    const texts = listOf(values).map((value) => textPattern(String(value)));
    return { name, isExpected: (value) => texts.some((matches) => matches(value)) };
  });
}

/** A value that is not compared may be any. */
const mayHaveValue = ({ name, isExpected }: ArgumentPattern, event: PolicyEvent): boolean =>
  valuesOfArgument(event, name).some(isExpected) || event.notCompared?.includes(name) === true;

function hasOnlyValues({ name, isExpected }: ArgumentPattern, event: PolicyEvent): boolean {
  const values = valuesOfArgument(event, name);
  return values.length > 0 && values.every(isExpected) && event.notCompared?.includes(name) !== true;
}

/** A text in which a `*` matches any characters. Each part is found as early as it can be. */
function textPattern(text: string): (value: string) => boolean {
  const [start = "", ...parts] = text.split("*");
  const end = parts.pop();
  if (end === undefined) return (value) => value === text;
  return (value) => {
    if (!value.startsWith(start)) return false;
    let at = start.length;
    for (const part of parts) {
      const found = value.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= value.length - end.length && value.endsWith(end);
  };
}

function scoreRanges(expected: Values["score"]): readonly (readonly [name: string, range: ScoreRange])[] {
  const all = Object.entries(expected);
  if (all.length === 0) fail("the name of a monitor", "none");
  for (const [name, { over }] of all)
    if (!(over >= 0 && over < 1))
      fail(`${name}: { over: SCORE } with a score from 0 to below 1`, String(over));
  return all;
}

const mayTouch = (globs: readonly PathGlob[], event: PolicyEvent): boolean => {
  const names = event.command === undefined ? [] : commandOf(event).names.map(withoutRoot);
  return [...(event.paths ?? []), ...names].some((path) => globs.some((glob) => glob.touches([path])));
};

/** A path of a command line that begins with `/` or `~` may be in the workspace. */
const withoutRoot = (name: string): string => name.replace(/^~?\/+/, "") || ".";

function hasOnlyPaths(globs: readonly PathGlob[], { paths = [], command }: PolicyEvent): boolean {
  if (command !== undefined || paths.length === 0) return false;
  return paths.every((path) => globs.some((glob) => glob.covers([path])));
}

const maySendTo = (patterns: readonly HostPattern[], { hosts = [] }: PolicyEvent): boolean =>
  hosts.some((name) => {
    const host = parseHost(name);
    return host === undefined || patterns.some((pattern) => pattern.matches(host));
  });

/** Whether a word of the command line names a host, alone or in a URL. */
function namesHost(patterns: readonly HostPattern[], event: PolicyEvent): boolean {
  if (event.command === undefined || patterns.length === 0) return false;
  const names = commandOf(event).names.flatMap((name) => name.split(/[/?#]+/));
  return names.some((name) => {
    const host = parseHost(name);
    return host !== undefined && patterns.some((pattern) => pattern.matches(host));
  });
}

const hasOnlyHosts = (patterns: readonly HostPattern[], { hosts = [] }: PolicyEvent): boolean =>
  hosts.length > 0 &&
  hosts.every((name) => {
    const host = parseHost(name);
    return host !== undefined && patterns.some((pattern) => pattern.matches(host));
  });
