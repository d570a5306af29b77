import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { Renewal } from "../../../ports/ownership.ts";
import { createLeases, heldBy, settled } from "./held-time.ts";

const silent = (): Promise<never> => new Promise(() => {});
const broken = (): Promise<never> => Promise.reject(new Error("The connection broke."));

describe("the leases of a worker", () => {
  test("are registered once for concurrent callers", async () => {
    const { statements, leases } = createLeases();
    const [one, other] = await Promise.all([heldBy(leases), heldBy(leases)]);
    expect(one).toBe(other);
    expect(await leases.held()).toBe(one);
    expect(statements.sent).toEqual([{ type: "register", worker: "worker-1", at: 0 }]);
  });

  test("are renewed at each third of the lease", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    await time.moveTo(2_000);
    expect(statements.timesOf("renew")).toEqual([300, 600, 900, 1_200, 1_500, 1_800]);
    expect(lease.holds()).toBe(true);
    expect(await leases.held()).toBe(lease);
  });

  test("are renewed again a tenth of the lease after a renewal that failed", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    statements.renewal = broken;
    await time.moveTo(500);
    expect(statements.timesOf("renew")).toEqual([300, 390, 480]);
    statements.renewal = async () => "renewed";
    await time.moveTo(900);
    expect(statements.timesOf("renew")).toEqual([300, 390, 480, 570, 870]);
    expect(lease.holds()).toBe(true);
  });

  test("last until a deadline that counts from before the registration was sent", async () => {
    const { time, statements, leases } = createLeases();
    statements.registration = async () => {
      time.now = 200;
    };
    statements.renewal = silent;
    const lease = await heldBy(leases);
    await time.moveTo(749);
    expect([lease.holds(), lease.lost.aborted]).toEqual([true, false]);
    await time.moveTo(750);
    expect([lease.holds(), lease.lost.aborted]).toEqual([false, true]);
  });

  test("last until a deadline that counts from before the renewal was sent", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    const { promise, resolve } = withResolvers<Renewal>();
    statements.renewal = () => promise;
    await time.moveTo(700);
    resolve("renewed");
    await settled();
    statements.renewal = silent;
    // Sent at 300.
    await time.moveTo(1_049);
    expect([lease.holds(), lease.lost.aborted]).toEqual([true, false]);
    await time.moveTo(1_050);
    expect([lease.holds(), lease.lost.aborted]).toEqual([false, true]);
  });

  test("are lost at the deadline if a renewal has no answer", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    statements.renewal = silent;
    const lost = once(lease.lost, "abort");
    await time.moveTo(750);
    await lost;
    expect(statements.timesOf("renew")).toEqual([300]);
    expect(time.now).toBe(750);
  });

  test("are lost at the deadline if every renewal fails", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    statements.renewal = broken;
    await time.moveTo(749);
    expect(lease.lost.aborted).toBe(false);
    await time.moveTo(750);
    expect(lease.lost.aborted).toBe(true);
    await time.moveTo(5_000);
    expect(Math.max(...statements.timesOf("renew"))).toBeLessThan(750);
  });

  test("are lost as soon as the database says that they expired", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    statements.renewal = async () => "expired";
    await time.moveTo(300);
    expect([lease.holds(), lease.lost.aborted]).toEqual([false, true]);
  });

  test("stay lost if a renewal is answered after the deadline", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    const { promise, resolve } = withResolvers<Renewal>();
    statements.renewal = () => promise;
    await time.moveTo(750);
    resolve("renewed");
    await settled();
    expect([lease.holds(), lease.lost.aborted]).toEqual([false, true]);
  });

  test("do not hold after the deadline in a process that was stopped, before any timer fires", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    time.now = 750;
    expect([lease.holds(), lease.lost.aborted]).toEqual([false, true]);
    const next = await heldBy(leases);
    expect([next.worker, next.holds()]).toEqual(["worker-2", true]);
    expect(statements.timesOf("renew")).toEqual([]);
  });

  test("are followed by another worker at the next use after a loss, and only then", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    statements.renewal = broken;
    await time.moveTo(3_000);
    expect(statements.timesOf("register")).toEqual([0]);
    const [one, other] = await Promise.all([heldBy(leases), heldBy(leases)]);
    expect([one.worker, one.holds(), lease.holds()]).toEqual(["worker-2", true, false]);
    expect(other).toBe(one);
    expect(one.lost.aborted).toBe(false);
  });

  test("reject if the registration fails, and are registered by the next call", async () => {
    const { statements, leases } = createLeases();
    statements.registration = broken;
    const [one, other] = await Promise.allSettled([leases.held(), leases.held()]);
    expect([one.status, other.status]).toEqual(["rejected", "rejected"]);
    expect(statements.sent).toHaveLength(1);
    statements.registration = async () => {};
    const lease = await heldBy(leases);
    expect([lease.worker, lease.holds()]).toEqual(["worker-2", true]);
  });

  test("reject if the registration takes as long as the lease", async () => {
    const { time, statements, leases } = createLeases();
    statements.registration = async () => {
      time.now = 750;
    };
    await expect(leases.held()).rejects.toThrow("Registering took longer than the lease of 900 ms.");
    statements.registration = async () => {};
    expect((await heldBy(leases)).worker).toBe("worker-2");
  });

  test("end in the database, are renewed no longer and can't be used again", async () => {
    const { time, statements, leases } = createLeases();
    const lease = await heldBy(leases);
    await leases.end();
    expect(lease.holds()).toBe(false);
    await time.moveTo(3_000);
    expect(statements.sent.slice(1)).toEqual([{ type: "end", worker: "worker-1", at: 0 }]);
    expect(await leases.held()).toBeUndefined();
  });

  test("end without a statement while no registration was answered", async () => {
    const { statements, leases } = createLeases();
    statements.registration = silent;
    void leases.held();
    await leases.end();
    expect(statements.sent).toEqual([{ type: "register", worker: "worker-1", at: 0 }]);
  });

  test("are followed by 1,000 journals without a warning of Node.js", async () => {
    const { leases } = createLeases();
    const { lost } = await heldBy(leases);
    const warnings: string[] = [];
    const warned = ({ name }: Error): number => warnings.push(name);
    process.on("warning", warned);
    for (let journal = 0; journal < 1_000; journal += 1) lost.addEventListener("abort", () => {});
    await settled();
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  });
});

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((give) => {
    resolve = give;
  });
  return { promise, resolve };
}
