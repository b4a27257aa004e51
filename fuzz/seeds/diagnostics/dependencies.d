a.o: a.cpp a\ b.h cash$$.h \
  c\:d.h e\\ f.h \#g.h

a\ b.h:

p: \
  /lib/crt1.o
