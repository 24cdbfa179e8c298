import { Type } from 'typebox';
import { named } from '../names.ts';
import { IdSchema } from '../schemas.ts';
import { stepKind } from './kind.ts';

export const segment = stepKind({
  config: Type.Object({ action: Type.Enum(['add', 'remove']), listId: IdSchema }, { additionalProperties: false }),
  about: '`SEGMENT {action: add|remove, listId}` adds the contact to a list or removes it',
  summary: ({ action, listId }, names) => {
    const what = action === 'add' ? 'add to list' : 'remove from list';
    return named(what, names?.lists[listId], `${what} ${listId}`);
  },
  plan: ({ action, listId }) => ({ effect: 'membership', action, listId }),
  references: ({ listId }) => [{ kind: 'listIds', id: listId, path: '/listId' }],
});
