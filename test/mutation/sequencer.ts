import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Orders test files by parts of their paths: `first` in this order, then all others, then `last`. The first failing test
 * kills a mutant, so the order decides the duration.
 */
export function createSequencer(
  first: readonly string[],
  last: readonly string[] = [],
): typeof BaseSequencer {
  const rank = ({ moduleId }: TestSpecification): number => {
    const isIn = (part: string) => moduleId.includes(part);
    const late = last.findIndex(isIn);
    if (late >= 0) return first.length + 1 + late;
    const early = first.findIndex(isIn);
    return early < 0 ? first.length : early;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return files.toSorted((a, b) => rank(a) - rank(b));
    }
  };
}
