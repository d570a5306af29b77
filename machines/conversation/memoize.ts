/** Cache the results of `compute` by object. For immutable objects such as entries. */
export function memoize<K extends object, T>(compute: (key: K) => T): (key: K) => T {
  const computed = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    const known = computed.get(key) ?? { value: compute(key) };
    computed.set(key, known);
    return known.value;
  };
}
