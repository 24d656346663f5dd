import { beforeEach, describe, expect, it } from 'vitest'
import {
  isDirty,
  workbench,
  type RecipeDoc
} from '../../../../src-renderer/features/recipes/workbench'
import { fileName } from '../../../../src-renderer/state/recipe-place'

const PATH = '/home/user/recipes/a.yaml'
const file = { path: PATH, text: 'a: 1\n', modified: 10, readOnly: false }

function doc(): RecipeDoc {
  const found = workbench.getState().docs[PATH]
  if (found === undefined) throw new Error('The recipe is not open.')
  return found
}

describe('an open recipe', () => {
  beforeEach(() => {
    workbench.setState({ docs: {} })
  })

  it('is unsaved from the first edit until it is saved', () => {
    const { opened, edited, saved } = workbench.getState()
    opened(file, null)
    expect(isDirty(doc())).toBe(false)
    edited(PATH, 'a: 2\n')
    expect(isDirty(doc())).toBe(true)
    saved(PATH, 'a: 2\n', 20)
    expect(isDirty(doc())).toBe(false)
    expect(doc().modified).toBe(20)
  })

  it('stays unsaved when it was edited on while it was being saved', () => {
    const { opened, edited, saved } = workbench.getState()
    opened(file, null)
    edited(PATH, 'a: 3\n')
    saved(PATH, 'a: 2\n', 20)
    expect(isDirty(doc())).toBe(true)
  })

  it('keeps a byte order mark apart from the text', () => {
    workbench.getState().opened({ ...file, text: '\uFEFFa: 1\n' }, null)
    expect(doc()).toMatchObject({ text: 'a: 1\n', base: 'a: 1\n', lead: '\uFEFF' })
  })

  it('follows the disk, or keeps the edits and takes the file as known', () => {
    const { opened, edited, reread } = workbench.getState()
    opened(file, null)
    edited(PATH, 'mine\n')
    reread(PATH, 'theirs\n', 30, true)
    expect(doc()).toMatchObject({ text: 'mine\n', base: 'theirs\n', modified: 30, revision: 0 })
    reread(PATH, 'theirs\n', 31, false)
    expect(doc()).toMatchObject({ text: 'theirs\n', base: 'theirs\n', revision: 1 })
  })

  it('offers kept edits back only where they say something new', () => {
    const { opened, restoreDraft, dropDraft } = workbench.getState()
    const draft = { path: PATH, text: 'a: 9\n', modified: 10, at: 5 }
    opened(file, { ...draft, text: file.text })
    expect(doc().draft).toBeNull()
    opened({ ...file, readOnly: true }, draft)
    expect(doc().draft).toBeNull()
    opened(file, draft)
    dropDraft(PATH)
    expect(doc()).toMatchObject({ draft: null, text: file.text })
    opened(file, draft)
    restoreDraft(PATH)
    expect(doc()).toMatchObject({ draft: null, text: 'a: 9\n', base: file.text, revision: 1 })
  })
})

describe('the name of a file', () => {
  it('is the last part of its path on any system', () => {
    expect(fileName('C:\\recipes\\a.yaml')).toBe('a.yaml')
    expect(fileName(PATH)).toBe('a.yaml')
  })
})
