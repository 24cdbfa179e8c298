/** An edge of the step graph, by index; `path` is the JSON Pointer of the target in the definition. */
export interface Edge {
  to: number;
  path: string;
}

/**
 * Finds the loops among the nodes that take no time, each as its nodes in order and the edge that closes it.
 * Depth-first search that follows every edge once (grey nodes are on the current path), so it runs in linear time.
 */
export function instantLoops(
  edges: readonly (readonly Edge[])[],
  takesTime: readonly boolean[],
): { nodes: number[]; closing: Edge }[] {
  const loops: { nodes: number[]; closing: Edge }[] = [];
  const way: number[] = [];
  const state: ('grey' | 'black' | undefined)[] = [];

  function visit(node: number): void {
    state[node] = 'grey';
    way.push(node);
    for (const edge of edges[node] ?? []) {
      if (takesTime[edge.to]) continue;
      if (state[edge.to] === 'grey') loops.push({ nodes: way.slice(way.indexOf(edge.to)), closing: edge });
      else if (state[edge.to] === undefined) visit(edge.to);
    }
    way.pop();
    state[node] = 'black';
  }

  for (const node of edges.keys()) if (!takesTime[node] && state[node] === undefined) visit(node);
  return loops;
}
