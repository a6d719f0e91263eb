/*
 * Letters of the backward pass: messages between the homes of locations. Each share of the pass is the home of a block
 * of locations. A share reads letters to itself at once.
 *
 * Letters of one share to another arrive in order. A share is used by one thread.
 */
#pragma once

#include "src/analysis/causes/wait.h"
#include "src/analysis/replay/mail/mail.h"

typedef struct XtfLetters XtfLetters;

/* A question of a blocked culprit. Its answer is a loss if there is no such wait. */
typedef struct {
    XtfWaitKey key;
    uint64_t forced; /* 1: the wait is sent now, without costs */
} XtfWaitQuestion;

/* Functions that read letters. */
typedef struct {
    void *data;
    void (*wait)(void *data, XtfWait *wait);        /* takes over the wait */
    void (*arrival)(void *data, uint64_t instance); /* a member of an operation that did not wait */
    void (*answer)(void *data, const XtfWaitAnswer *answer);
    void (*question)(void *data, const XtfWaitQuestion *question);
    void (*loss)(void *data, const XtfWaitKey *key); /* there is no such wait */
} XtfLetterReader;

/* Creates the letters of share `self`. Share i has the locations from borders[i] up to borders[i + 1], without it.
 * Borrows mail and borders. `mail` NULL: there is one share. */
XtfLetters *xtf_letters_new(XtfMail *mail, uint32_t self, const uint32_t *borders, uint32_t n,
                            const XtfLetterReader *reader);
void xtf_letters_free(XtfLetters *letters); /* NULL is fine */

void xtf_letters_put_wait(XtfLetters *letters, XtfWait *wait); /* takes over the wait */
/* Sends the arrival of a member to the culprit of an operation. */
void xtf_letters_put_arrival(XtfLetters *letters, uint32_t culprit, uint64_t instance);
void xtf_letters_put_answer(XtfLetters *letters, const XtfWaitAnswer *answer);
void xtf_letters_put_question(XtfLetters *letters, const XtfWaitQuestion *question);
void xtf_letters_put_loss(XtfLetters *letters, const XtfWaitKey *key);

/* Reads the letters that have arrived, and flushes own letters if another share may wait for them. */
void xtf_letters_take(XtfLetters *letters);
/* Does so between turns of a share that has more to do. `holds_many`: the share keeps many waits in memory. Then it
 * seldom takes letters, so that they stay with their senders. A rank whose letters are not taken waits, and reads all
 * that arrive meanwhile. So the memory of ranks stays bounded, and no two wait for one another. */
void xtf_letters_take_between(XtfLetters *letters, bool holds_many);
