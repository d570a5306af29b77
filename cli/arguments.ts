import { InvalidArgumentError } from "commander";
import { poolProblem } from "../wire/pool.ts";

// Parsers of flag values.

/** @throws InvalidArgumentError for anything else */
export function port(value: string): number {
  const number = Number(value);
  if (/^\d{1,5}$/.test(value) && number <= 65_535) return number;
  throw new InvalidArgumentError("Expected a port from 0 to 65535.");
}

/** @throws InvalidArgumentError for anything else */
export function count(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a whole number from 1 to 999999999.");
}

/** @throws InvalidArgumentError for anything else */
export function bound(value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a whole number from 0 to 999999.");
}

/** @throws InvalidArgumentError for anything else */
export const boundOrAny = (value: string): number | "any" => (value === "any" ? value : bound(value));

/** @throws InvalidArgumentError for anything else */
export function seed(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a whole number from 0 to 999999999.");
}

/** Parser of a record number of at least `least`; `where` is a hint about how to find the numbers. */
export function recordFrom(least: number, where: string): (value: string) => number {
  return (value) => {
    if (/^\d{1,15}$/.test(value) && Number(value) >= least) return Number(value);
    throw new InvalidArgumentError(`Expected a record number, at least ${least}: ${where}.`);
  };
}

/** @throws InvalidArgumentError for a text that is no name of a pool */
export function pool(value: string): string {
  const problem = poolProblem(value);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return value;
}

/** A repeatable option: each use adds a value. */
export const repeatable = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];
