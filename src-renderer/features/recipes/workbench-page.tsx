import { showRecipe } from '../../state'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Finding } from '@contract/recipes'
import { engine } from '../../api/client'
import { queryClient } from '../../api/query-client'
import { recipesQuery } from '../../api/queries'
import { useCommands, type Command } from '../../commands'
import { RecipeEditor, type EditorHandle, type RecipeContext } from '../../editor'
import { useLanguage } from '../../i18n'
import { Button, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { SafePanel } from '../shared/safe-panel'
import { WorkbenchDialogs, type DialogKind } from './dialogs'
import { FileList } from './file-list'
import { WorkbenchHeader } from './header'
import { Problems, type ProblemActs } from './problems'
import { SidePanel } from './side-panel'
import { useDisk } from './use-disk'
import { useDraftKeeper } from './use-draft-keeper'
import { useRecipeActs } from './use-recipe-acts'
import { useRecipeCheck } from './use-recipe-check'
import { WorkbenchNotices } from './workbench-notices'
import { type RecipeDoc, workbench } from './workbench'

/** The workbench with one recipe open: files, text, and what the recipe will do. */
export function WorkbenchPage(props: { path: string; newRecipe: () => void }) {
  const { path } = props
  const doc = workbench((store) => store.docs[path])
  return (
    <div
      className="grid min-h-0 flex-1 grid-cols-[208px_minmax(0,1fr)]"
      data-testid="recipe-workbench"
    >
      <FileList open={path} newRecipe={props.newRecipe} />
      {doc === undefined ? (
        <Opening path={path} />
      ) : (
        <OpenRecipe key={path} doc={doc} newRecipe={props.newRecipe} />
      )}
    </div>
  )
}

/** Reads the file and what was kept of it, and puts both on the workbench. */
function Opening(props: { path: string }) {
  const { path } = props
  const { t } = useTranslation('recipes')
  const file = useQuery({
    queryKey: ['recipe-open', path],
    queryFn: async ({ signal }) => {
      const [read, { draft }] = await Promise.all([
        engine.recipes.read({ path }, { signal }),
        engine.recipes.draft({ path }, { signal })
      ])
      return { ...read, draft }
    },
    staleTime: 0,
    gcTime: 0
  })
  const { data } = file
  useEffect(() => {
    if (data === undefined) return
    // The engine answers with the absolute path; the workbench keeps the name it was asked for.
    workbench.getState().opened({ ...data, path }, data.draft)
    engine.recipes.opened({ path }).then(
      () => queryClient.invalidateQueries({ queryKey: recipesQuery.queryKey }),
      (thrown: unknown) => console.warn('The list of lately used recipes was not written.', thrown)
    )
  }, [data, path])
  if (file.isError) {
    return (
      <div className="p-4">
        <FailureNote
          thrown={file.error}
          retry={() => void file.refetch()}
          action={
            <Button size="small" onClick={() => showRecipe(null)}>
              {t('all')}
            </Button>
          }
        />
      </div>
    )
  }
  return <Skeleton className="m-4 h-64" />
}

const NO_FINDINGS: readonly Finding[] = []

function OpenRecipe(props: { doc: RecipeDoc; newRecipe: () => void }) {
  const { doc } = props
  const { path } = doc
  const { t } = useTranslation('recipes')
  const editor = useRef<EditorHandle>(null)
  const [cursor, setCursor] = useState({ line: 1, column: 1 })
  const [dialog, setDialog] = useState<DialogKind | null>(null)
  const state = useRecipeCheck(doc)
  const disk = useDisk(doc)
  const acts = useRecipeActs(doc, state, disk === 'gone')
  useDraftKeeper(doc)
  const findings = state.check?.findings ?? NO_FINDINGS
  const context = useEditorContext(doc, state.fresh ? findings : NO_FINDINGS)
  useWorkbenchCommands({
    acts,
    findings,
    editor,
    line: cursor.line,
    ask: setDialog,
    changeOff: doc.readOnly ? t('saveOffReadOnly') : undefined,
    newRecipe: props.newRecipe
  })
  const problemActs: ProblemActs = {
    reveal: (finding) => editor.current?.reveal(finding.line, finding.column),
    fix: (finding) => {
      if (doc.readOnly) setDialog('duplicate')
      else if (finding.fix !== undefined && finding.file === undefined) {
        editor.current?.applyEdits(finding.fix.edits)
      }
    }
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-col">
      <WorkbenchHeader doc={doc} state={state} acts={acts} ask={setDialog} />
      <WorkbenchNotices doc={doc} disk={disk} acts={acts} />
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_320px]">
        <div className="flex min-h-0 min-w-0 flex-col bg-panel">
          <SafePanel>
            <Suspense fallback={<Skeleton className="m-4 min-h-0 flex-1" />}>
              <RecipeEditor
                path={path}
                text={doc.text}
                revision={doc.revision}
                readOnly={doc.readOnly}
                readOnlyNote={t('readOnlyNote')}
                label={t('editor')}
                findings={findings}
                context={context}
                onChange={(text) => workbench.getState().edited(path, text)}
                onCursor={(line, column) => setCursor({ line, column })}
                handle={editor}
              />
            </Suspense>
          </SafePanel>
          <Problems state={state} cursor={cursor} acts={problemActs} />
        </div>
        <SidePanel
          state={state}
          acts={problemActs}
          goTo={(line) => editor.current?.reveal(line, 1)}
        />
      </div>
      <WorkbenchDialogs
        kind={dialog}
        doc={doc}
        batch={state.check?.facts.batch ?? null}
        replaceText={(text) => editor.current?.replaceAll(text)}
        close={() => setDialog(null)}
      />
    </div>
  )
}

/** Answers the editor's questions through the engine. */
function useEditorContext(doc: RecipeDoc, fixable: readonly Finding[]): RecipeContext {
  const { path, generation, readOnly } = doc
  const language = useLanguage()
  return useMemo(() => {
    const chosen = generation === null ? {} : { generation }
    return {
      language,
      fixable: () => (readOnly ? NO_FINDINGS : fixable),
      complete: (at, signal) => engine.recipes.complete({ path, ...at, ...chosen }, { signal }),
      hover: async (at, signal) => {
        const said = await engine.recipes.hover({ path, ...at, ...chosen }, { signal })
        return said?.markdown[language] ?? null
      }
    }
  }, [path, generation, readOnly, language, fixable])
}

function useWorkbenchCommands(scene: {
  acts: ReturnType<typeof useRecipeActs>
  findings: readonly Finding[]
  line: number
  editor: React.RefObject<EditorHandle | null>
  ask: (dialog: DialogKind) => void
  /** Why the text cannot be changed as a whole, if so. */
  changeOff: string | undefined
  newRecipe: () => void
}): void {
  const { acts, findings, line, editor, ask, changeOff, newRecipe } = scene
  const { t } = useTranslation('recipes')
  const { saveOff, launchOff, launch } = acts
  const { mutate } = acts.save
  const commands = useMemo<Command[]>(() => {
    const next = (): void => {
      const placed = findings.filter((each) => each.line > 0 && each.file === undefined)
      const found = placed.find((each) => each.line > line) ?? placed[0]
      if (found !== undefined) editor.current?.reveal(found.line, found.column)
    }
    return [
      {
        id: 'save-recipe',
        title: t('save'),
        group: 'list',
        keys: ['Mod+S'],
        off: saveOff,
        run: () => mutate()
      },
      {
        id: 'launch-recipe',
        title: t('launchIt'),
        group: 'list',
        keys: ['Mod+Enter'],
        off: launchOff,
        run: launch
      },
      {
        id: 'outline',
        title: t('outline'),
        group: 'list',
        keys: ['Mod+Shift+O'],
        run: () => editor.current?.outline()
      },
      { id: 'next-problem', title: t('nextProblem'), group: 'list', keys: ['F8'], run: next },
      { id: 'compare-recipe', title: t('compare'), group: 'list', run: () => ask('compare') },
      { id: 'duplicate-recipe', title: t('duplicate'), group: 'list', run: () => ask('duplicate') },
      {
        id: 'migrate-recipe',
        title: t('migrate'),
        group: 'list',
        off: changeOff,
        run: () => ask('migrate')
      },
      {
        id: 'scale-recipe',
        title: t('scale'),
        group: 'list',
        off: changeOff,
        run: () => ask('scale')
      },
      { id: 'new-recipe', title: t('newRecipeEllipsis'), group: 'list', run: newRecipe },
      { id: 'all-recipes', title: t('all'), group: 'list', run: () => showRecipe(null) }
    ]
  }, [t, saveOff, launchOff, launch, mutate, findings, line, editor, ask, changeOff, newRecipe])
  useCommands(commands)
}
