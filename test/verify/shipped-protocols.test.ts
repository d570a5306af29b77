import { describe, expect, it } from "vitest";
import { shippedProtocols } from "../../control/protocols/shipped.ts";
import { EXPLORED_PROTOCOL } from "../../verify/controlled.ts";
import { explorationUnder } from "../support/explored-protocol.ts";

describe("exploration of a task that a protocol controls", () => {
  it.each([...shippedProtocols({ threshold: 0.5, auditBudget: 1 }), EXPLORED_PROTOCOL])(
    "holds every law in every state, and its audits stay within the budget: $name",
    (protocol) => {
      const { states, steps, complete, violations } = explorationUnder(protocol);
      console.log(`${protocol.name}: ${states} states, ${steps} steps`);
      expect(violations).toEqual([]);
      expect(complete).toBe(true);
    },
  );
});
