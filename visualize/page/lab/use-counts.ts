import { useEffect, useMemo, useState } from "react";
import type { Verification, VerificationCounts } from "../../../wire/http/verification.ts";
import { withCounts } from "../model/verification-counts.ts";
import type { PageSource } from "../source.ts";

/** The verification with the counts of the source's tasks, which grow while it is shown. Undefined: it is not shown. */
export function useCounts(
  source: PageSource,
  shown: Verification | undefined,
  onError: (message: string) => void,
): Verification | undefined {
  const [counts, setCounts] = useState<VerificationCounts>();
  const isShown = shown !== undefined;
  useEffect(
    () => (isShown ? source.watchCounts?.(setCounts, onError) : undefined),
    [source, isShown, onError],
  );
  return useMemo(
    () => (shown === undefined || counts === undefined ? shown : withCounts(shown, counts)),
    [shown, counts],
  );
}
