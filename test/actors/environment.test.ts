import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { EFFECT_KINDS } from "../../machines/task/effect-kinds.ts";
import { programWith, root } from "../examples-in-docs/program.ts";
import { filesIn } from "../support/sources.ts";
import { WritableState } from "./writable-state.ts";

const SIDE_CHANNELS = "actors/side-channels.ts";

const program = programWith(
  new Map([
    [
      path.join(root, SIDE_CHANNELS),
      `import type { CallTracker } from "./calls/call-tracker.ts";
       export interface Closed {
         readonly names: readonly string[];
         readonly ends: ReadonlyMap<string, { readonly at: number }>;
         readonly port: { readonly size: number; add(name: string): void };
         readonly picked?: Pick<CallTracker, "quiesce"> | undefined;
         readonly read: () => string[];
       }
       export interface Open {
         count: number;
         readonly results: Map<string, string>;
         readonly names: string[];
         readonly pair: [string, string];
         readonly byName: Record<string, number>;
         readonly box: { get value(): string; set value(to: string) };
         readonly deep?: { readonly lists: readonly { readonly names: Set<string> }[] } | undefined;
         readonly owner: CallTracker;
       }`,
    ],
  ]),
);
const checker = program.getTypeChecker();
const writable = new WritableState(checker);

function exportsOf(file: string): readonly ts.Symbol[] {
  const source = program.getSourceFile(path.join(root, file));
  const module = source && checker.getSymbolAtLocation(source);
  return module === undefined ? [] : checker.getExportsOfModule(module);
}

function typeIn(file: string, name: string): ts.Type {
  const symbol = exportsOf(file).find((each) => each.name === name);
  if (symbol === undefined) throw new Error(`Expected the type ${name} in ${file}.`);
  return checker.getDeclaredTypeOfSymbol(symbol);
}

const environment = typeIn("actors/environment.ts", "TaskEnvironment");

/** The types of the parameters of each function that creates an actor, after the edge: its environment and its limits. */
const parametersOf: ReadonlyMap<string, readonly ts.Type[]> = new Map(
  filesIn(["actors"])
    .flatMap(exportsOf)
    .filter(({ flags }) => flags & ts.SymbolFlags.Function)
    .map((creator) => {
      const [signature] = checker.getTypeOfSymbol(creator).getCallSignatures();
      const [, ...parameters] = signature?.parameters ?? [];
      return [creator.name, parameters.map((parameter) => checker.getTypeOfSymbol(parameter))];
    }),
);

const actors = EFFECT_KINDS.map((kind) => {
  const parameters = parametersOf.get(`${kind}Actor`);
  if (parameters === undefined) throw new Error(`Expected the function ${kind}Actor.`);
  return { kind, parameters, required: parameters[0]?.getProperties() ?? [] };
});

const typeOf = (member: ts.Symbol): ts.Type => checker.getNonNullableType(checker.getTypeOfSymbol(member));

/** Whether a member is a port that a folder of the actors declares: an owner there implements it. */
const isRole = (member: ts.Symbol): boolean =>
  typeOf(member)
    .getProperties()
    .flatMap(({ declarations = [] }) => declarations)
    .some((each) => ts.isMethodSignature(each) && each.getSourceFile().fileName.includes("/actors/"));

const isSame = (one: ts.Type, other: ts.Type): boolean =>
  checker.isTypeAssignableTo(one, other) && checker.isTypeAssignableTo(other, one);

test("state that can be written without a request to its owner is found", () => {
  expect(writable.in(typeIn(SIDE_CHANNELS, "Closed"))).toEqual([]);
  expect(writable.in(typeIn(SIDE_CHANNELS, "Open"))).toEqual([
    "count can be assigned",
    "results is of the type Map",
    "names is of the type Array",
    "pair is a list",
    "byName can be extended",
    "box.value can be assigned",
    "deep.lists[].names is of the type Set",
    "owner is the class CallTracker",
  ]);
});

test("no member of the environment can be written", () => {
  expect(environment.getProperties().length).toBeGreaterThan(30);
  expect(writable.in(environment)).toEqual([]);
});

test.each(actors)("the $kind actor requires members as they are declared", ({ parameters, required }) => {
  for (const parameter of parameters)
    expect(writable.in(checker.getNonNullableType(parameter)), "it can write a parameter").toEqual([]);
  for (const member of required) {
    const declared = environment.getProperty(member.name);
    expect(declared && isSame(typeOf(member), typeOf(declared)), member.name).toBe(true);
  }
});

test("each role of an owner belongs to one actor, but two wait for stopped effects", () => {
  const roles = environment.getProperties().filter(isRole);
  const holders = roles.map(({ name }) => [
    name,
    actors.filter(({ required }) => required.some((member) => member.name === name)).map(({ kind }) => kind),
  ]);
  expect(Object.fromEntries(holders)).toEqual({
    asks: ["ask"],
    reports: ["tool"],
    outcomes: ["context"],
    stopped: ["tool", "hook"],
    fileAccess: ["tool"],
    fileChanges: ["review"],
  });
});
