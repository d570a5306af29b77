import { InvalidArgumentError } from "commander";
import { bound, count } from "../arguments.ts";

export interface WorstCaseFlags {
  readonly scores: string;
  readonly threshold: number;
  /** Audit budgets. */
  readonly audits: readonly number[];
  /** Numbers of decisions. */
  readonly length: readonly number[];
  readonly rate: number;
  readonly resamples: number;
  readonly misses: number;
  readonly refine: number;
  readonly trusted: number;
  readonly edited: number;
  readonly protocol?: readonly string[];
  readonly plot?: string;
  readonly prism?: string;
  readonly force?: true;
  readonly format: "text" | "json";
}

/** @throws InvalidArgumentError for anything else */
export function share(value: string): number {
  const number = Number(value);
  if (/^\d*\.?\d+$/.test(value) && number <= 1) return number;
  throw new InvalidArgumentError("Expected a number from 0 to 1.");
}

/** @throws InvalidArgumentError for anything else */
export const shares = (value: string): readonly number[] => [...new Set(value.split(",").map(share))];

/** @throws InvalidArgumentError for anything else */
export const bounds = (value: string): readonly number[] => value.split(",").map(bound);

/** @throws InvalidArgumentError for anything else */
export const counts = (value: string): readonly number[] => value.split(",").map(count);
