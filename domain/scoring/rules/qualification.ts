/** The level of a total: cold below `warm`, hot from `hot` on. */
export function qualificationOf(total: number, settings: { warm: number; hot: number }): 'cold' | 'warm' | 'hot' {
  if (total >= settings.hot) return 'hot';
  return total >= settings.warm ? 'warm' : 'cold';
}
