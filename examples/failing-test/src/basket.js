/** The price of a basket, in cents. From ten pieces of one kind on, that kind is a tenth cheaper. */
export function priceOf(basket) {
  let cents = 0;
  for (const { price, pieces } of basket) {
    const discount = pieces > 10 ? 0.1 : 0;
    cents += Math.round(price * pieces * (1 - discount));
  }
  return cents;
}
